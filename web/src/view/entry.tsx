// A command's whole story: what it was, what was decided and why, what came out.
import { useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import { clock, duration } from "../time";
import type { Entry } from "../wire";
import { Insert } from "./insert";
import { EndedOutput, RunningOutput } from "./output";
import { Reasons } from "./reasons";
import { Shown } from "./shown";

/** Entries as rows, each with its story. */
export function Entries({ entries, page }: { entries: Entry[]; page: Page }) {
  return <ol class="log">{entries.map((entry) => <EntryRow key={entry.id} entry={entry} page={page} />)}</ol>;
}

/** One entry as a row that opens. */
export function EntryRow({ entry, page }: { entry: Entry; page: Page }) {
  const [open, setOpen] = useState(false);
  return (
    <li class={`entry ${entry.run.state}`} data-entry={entry.id}>
      <button class="row" aria-expanded={open} onClick={() => setOpen(!open)}>
        <time>{clock(entry.time, page.now, t("lang"))}</time>
        <span class={`verdict ${entry.verdict}`}>{t(`verdict_${entry.verdict}`)}</span>
        <span class="of quiet">{entry.loop_folder}</span>
        <span class="oneline"><Shown text={entry.command} /></span>
        <span class="quiet ran">{runText(entry)}</span>
      </button>
      {open && <Story entry={entry} page={page} />}
    </li>
  );
}

function Story({ entry, page }: { entry: Entry; page: Page }) {
  const { run } = entry;
  // A run that is watched goes on being shown as it was when it ends.
  const [watched] = useState(run.state === "running");
  return (
    <div class="story">
      <div class="text"><Shown text={entry.command} /></div>
      <Reasons findings={entry.findings} />
      <dl class="facts">
        <Fact name={t("decided")} text={decidedText(entry)} />
        <Fact name={t("by")} text={[entry.role, entry.host].filter(Boolean).join(" · ")} />
        <Fact name={t("folder")} text={entry.folder || "."} />
        <Fact name={t("layer_sandbox")} text={entry.backend ?? t("sandboxOff")} />
        {entry.env_removed.length > 0 && <Fact name={t("envRemoved")} text={entry.env_removed.join(", ")} />}
      </dl>
      {run.state === "ended" && run.guard_refusals.map((g) => (
        <p class="refused">{t("guardRefused", { argv: g.argv.join(" "), rule: g.rule })}</p>))}
      <div class="actions">
        {run.state === "running" && <button class="deny" onClick={() => page.attempt(api.cancel(entry.id))}>{t("stop")}</button>}
        <Insert from={{ entry: entry.id }} page={page} />
      </div>
      {watched ? <RunningOutput entry={entry.id} page={page} />
        : run.state === "ended" && <EndedOutput entry={entry.id} page={page} />}
    </div>
  );
}

function Fact({ name, text }: { name: string; text: string }) {
  return <><dt>{name}</dt><dd>{text}</dd></>;
}

function decidedText(entry: Entry): string {
  const parts = [t(`source_${entry.source}`)];
  if (entry.answered_by) parts.push(t("inWindow", { window: entry.answered_by }));
  if (entry.waited_ms !== null && entry.waited_ms > 0) parts.push(t("afterTime", { time: duration(entry.waited_ms) }));
  return parts.join(", ");
}

function runText(entry: Entry): string {
  const run = entry.run;
  switch (run.state) {
    case "waiting": return t("run_waiting");
    case "running": return t("run_running");
    case "not_run": return `${t("run_not_run")} · ${t(`source_${entry.source}`)}`;
    case "interrupted": return t("run_interrupted");
    case "ended": {
      const code = "code" in run.ending ? run.ending.code : 0;
      return `${t(`end_${run.ending.how}`, { code })} · ${duration(run.duration_ms)}`;
    }
  }
}
