// Few of each kind in front, the others kept.
import { expect, test } from "vitest";
import { outcome } from "../src/view/outcome";
import { parted } from "../src/view/reasons";
import type { Finding } from "../src/wire";

const finding = (kind: string, at: number): Finding =>
  ({ rule: "delete", verdict: "asked", part: { start: at, end: at + 1 }, reason: `${at} would be deleted`, remedy: null, kind });
const many = (kind: string, count: number) => Array.from({ length: count }, (_, i) => finding(kind, i));

test("hundreds of one kind don't hide the one of another kind", () => {
  const all = [...many("delete files", 200), finding("git push", 0)];
  const [front, rest] = parted(all);
  expect(front.map((f) => f.kind)).toEqual(["delete files", "delete files", "delete files", "git push"]);
  expect(rest).toHaveLength(197);
  expect(new Set([...front, ...rest])).toEqual(new Set(all));
});

test("what is few stays whole and in its order", () => {
  const all = [...many("delete files", 4), finding("git push", 0)];
  expect(parted(all)).toEqual([all, []]);
});

test("one's own answer is one's own, in whichever place of the page it is told", () => {
  const state = { state: "answered", answer: "deny", window: "w1", note: null } as const;
  expect(outcome(state, "w1")).toBe("Answered: Deny");
  expect(outcome(state, "w2")).toBe("Answered in another window: Deny");
  expect(outcome(state, null)).toBe("Answered in another window: Deny");
});
