// A command's whole story: what it was, what was decided and why, what came out.
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import type { Live } from "../state";
import { t } from "../text";
import { bytes, clock, duration } from "../time";
import type { Entry, OutputRange, Stream } from "../wire";
import { Output, Shown } from "./shown";
import { Insert } from "./insert";

export function EntryRow({ entry, page }: { entry: Entry; page: Page }) {
  const [open, setOpen] = useState(false);
  const running = entry.run.state === "running";
  useEffect(() => { if (open && running) page.watch([entry.id]); }, [open, running]);
  return (
    <li class={`entry ${entry.verdict} ${entry.run.state}`}>
      <button class="row" aria-expanded={open} onClick={() => setOpen(!open)}>
        <time>{clock(entry.time, page.now, t("lang"))}</time>
        <span class={`verdict ${entry.verdict}`}>{t(`verdict_${entry.verdict}`)}</span>
        <Shown text={entry.command} />
        <span class="quiet">{runText(entry)}</span>
      </button>
      {open && <Story entry={entry} page={page} />}
    </li>
  );
}

function Story({ entry, page }: { entry: Entry; page: Page }) {
  const live = page.state.output[entry.id];
  return (
    <div class="story">
      <p class="quiet">{entry.role} · {entry.host} · {entry.loop_folder || "."} · {t(`source_${entry.source}`)}</p>
      <ul class="reasons">
        {entry.findings.map((f) => <li><b>{f.rule}</b> {f.reason}{f.remedy && <small>{t("remedy", { text: f.remedy })}</small>}</li>)}
      </ul>
      {entry.run.state === "ended" && entry.run.guard_refusals.map((g) => (
        <p class="refused">{t("guardRefused", { argv: g.argv.join(" "), reason: g.reason })}</p>))}
      {entry.env_removed.length > 0 && <p class="quiet">{t("envRemoved", { names: entry.env_removed.join(", ") })}</p>}
      <div class="actions">
        {entry.run.state === "running" && <button class="deny" onClick={() => page.attempt(api.cancel(entry.id))}>{t("stop")}</button>}
        <Insert entry={entry} page={page} />
      </div>
      {entry.run.state === "running" && live
        ? (["stdout", "stderr"] as const).map((s) => <LiveOutput stream={s} live={live[s]} />)
        : entry.run.state === "ended" && (["stdout", "stderr"] as const).map((s) => <Kept entry={entry.id} stream={s} page={page} />)}
    </div>
  );
}

function LiveOutput({ stream, live }: { stream: Stream; live: Live }) {
  if (live.pieces.length === 0) return null;
  return (
    <section aria-label={t(stream)}>
      <h4>{t(stream)}</h4>
      {live.skipped > 0 && <p class="quiet">{t("skipped", { bytes: bytes(live.skipped) })}</p>}
      <Output pieces={live.pieces} />
    </section>
  );
}

// Kept output comes in ranges of 64 KiB: a long one costs nothing until it is wanted.
function Kept({ entry, stream, page }: { entry: string; stream: Stream; page: Page }) {
  const [ranges, setRanges] = useState<OutputRange[]>([]);
  const load = (from: number) => page.attempt(api.output(entry, stream, from).then((r) => setRanges((old) => [...old, r])));
  useEffect(() => load(0), [entry, stream]);
  const last = ranges[ranges.length - 1];
  if (!last || last.total === 0) return null;
  return (
    <section aria-label={t(stream)}>
      <h4>{t(stream)} <span class="quiet">{bytes(last.total)}</span></h4>
      <Output pieces={ranges.flatMap((r) => r.pieces)} />
      {last.to < last.total && <button class="plain" onClick={() => load(last.to)}>{t("loadMore")}</button>}
    </section>
  );
}

export function runText(entry: Entry): string {
  const run = entry.run;
  switch (run.state) {
    case "waiting": return t("run_waiting");
    case "running": return t("run_running");
    case "not_run": return `${t("run_not_run")}: ${t(`source_${entry.source}`)}`;
    case "interrupted": return t("run_interrupted");
    case "ended": {
      const code = "code" in run.ending ? run.ending.code : 0;
      return `${t(`end_${run.ending.how}`, { code })} · ${duration(run.duration_ms)}`;
    }
  }
}
