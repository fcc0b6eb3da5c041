// A long list is drawn in two goes: what fits on a screen, then the rest. What a person sees
// first isn't behind what they would have to scroll to.
import { useEffect, useState } from "preact/hooks";

/** How many items may be drawn: `count` of them at first, all of them after the first picture. */
export function useFirst(count: number): number {
  const [most, setMost] = useState(count);
  useEffect(() => {
    const timer = setTimeout(() => setMost(Number.POSITIVE_INFINITY));
    return () => clearTimeout(timer);
  }, []);
  return most;
}
