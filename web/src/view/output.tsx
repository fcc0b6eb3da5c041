// What a command printed: live while it runs, in parts of 64 KiB afterwards. A long output
// costs nothing until it is wanted, and a flood only its newest part.
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import type { Live } from "../state";
import { t } from "../text";
import { bytes } from "../time";
import type { OutputRange, Stream } from "../wire";
import { Pieces } from "./shown";

const STREAMS: Stream[] = ["stdout", "stderr"];
/** The gateway gives no more of an output at once. */
const RANGE = 64 * 1024;

/** The output of a run that ended. */
export function EndedOutput({ entry, page }: { entry: string; page: Page }) {
  return <>{STREAMS.map((stream) => <Kept key={stream} entry={entry} stream={stream} page={page} />)}</>;
}

function Kept({ entry, stream, page }: { entry: string; stream: Stream; page: Page }) {
  const [ranges, setRanges] = useState<OutputRange[]>([]);
  const load = (from: number) => page.attempt(api.output(entry, stream, from).then((r) => setRanges((old) => [...old, r])));
  useEffect(() => load(0), [entry, stream]);
  const last = ranges[ranges.length - 1];
  if (!last || last.total === 0) return null;
  return (
    <section class="printed" aria-label={t(stream)}>
      <h3>{t(stream)} <span class="quiet">{bytes(last.total)}</span></h3>
      <pre class="output" tabIndex={0}>{ranges.map((r) => <Pieces key={r.from} pieces={r.pieces} />)}</pre>
      {last.to < last.total && <button class="plain" onClick={() => load(last.to)}>{t("loadMore")}</button>}
    </section>
  );
}

/** The output of a run that goes on: what came before it was looked at, then what comes. */
export function RunningOutput({ entry, page }: { entry: string; page: Page }) {
  const [heads, setHeads] = useState<Partial<Record<Stream, OutputRange>>>({});
  useEffect(() => {
    // Watched first and read then: what comes in between is in both, and its place tells.
    page.watch(entry, true);
    const read = async (stream: Stream) => {
      let head = await api.output(entry, stream, 0);
      if (head.total > head.to) head = await api.output(entry, stream, head.total - RANGE);
      setHeads((old) => ({ ...old, [stream]: head }));
    };
    page.attempt(Promise.all(STREAMS.map(read)));
    return () => page.watch(entry, false);
  }, [entry]);
  const live = page.state.output[entry];
  return <>{STREAMS.map((stream) => <Flowing key={stream} stream={stream} head={heads[stream]} live={live?.[stream]} />)}</>;
}

function Flowing({ stream, head, live }: { stream: Stream; head: OutputRange | undefined; live: Live | undefined }) {
  if (!head) return null;
  const chunks = (live?.chunks ?? []).filter((c) => c.offset >= head.to);
  const flooded = (live?.chunks[0]?.offset ?? 0) > head.to;
  const missing = flooded ? (chunks[0]?.offset ?? 0) : head.from;
  if (head.total === 0 && chunks.length === 0) return null;
  return (
    <section class="printed" aria-label={t(stream)}>
      <h3>{t(stream)}</h3>
      {missing > 0 && <p class="quiet">{t("skipped", { bytes: bytes(missing) })}</p>}
      <pre class="output live" tabIndex={0}>
        {!flooded && <Pieces key="head" pieces={head.pieces} />}
        {chunks.map((c, i) => <Pieces key={c.offset} pieces={c.pieces} gap={i > 0 ? c.skipped : 0} />)}
      </pre>
    </section>
  );
}
