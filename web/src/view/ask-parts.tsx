// The parts of a card that only show: why, what would start, where, how long.
import * as api from "../api";
import type { Page } from "../page";
import { left } from "../state";
import { said, t } from "../text";
import { countdown } from "../time";
import type { AskCard, ExplainLine, ProgramRow } from "../wire";
import { Reasons } from "./reasons";

/** Below this the time left wears a warning. */
const SOON_MS = 20_000;
/** So many programs of a chain are in front. */
const FEW = 12;
const NETWORKS = { none: "networkNone", registries_only: "networkRegistries", open: "networkOpen" } as const;
const MARKS = { allowed: "✓", asked: "?", refused: "✕" } as const;

/** Why it asks, which of several programs is the cause, and what would happen. */
export function About({ ask }: { ask: AskCard }) {
  const { sandbox } = ask;
  const held = sandbox.on ? t("sandboxOn") + (sandbox.backend ? ` (${sandbox.backend})` : "") : t("sandboxOff");
  return (
    <>
      <Reasons findings={ask.findings} />
      {ask.programs.length > 1 && <Programs rows={ask.programs} />}
      <p class="would"><span class="quiet">{t("wouldRun")}</span> <code>{ask.folder || "."}</code>, <b class={sandbox.on ? "good" : "warn"}>{held}</b>, {t(NETWORKS[sandbox.network])}</p>
    </>
  );
}

// Each is marked in the command too; of a long chain the first ones are in front.
function Programs({ rows }: { rows: ProgramRow[] }) {
  const list = (some: ProgramRow[]) => (
    <ul class="parts" aria-label={t("parts")}>
      {some.map((p) => (
        <li><span class={`mark ${p.verdict}`} aria-hidden="true">{MARKS[p.verdict]}</span>
          <span><code>{p.text}</code> <span class="quiet">{t(`verdict_${p.verdict}`)}</span></span></li>))}
    </ul>
  );
  const front = rows.filter((_, i) => i < FEW);
  const rest = rows.slice(front.length);
  return <>{list(front)}{rest.length > 0 && <details><summary>{t("moreParts", { count: rest.length })}</summary>{list(rest)}</details>}</>;
}

/** The chain of the layers. */
export function Explain({ ask }: { ask: AskCard }) {
  return (
    <dl class="explain">{ask.explain.map((line) => (
      <><dt>{t(`layer_${line.layer}`)}</dt><dd class={looks(line, ask)}>{said(line.text)}</dd></>))}</dl>
  );
}

// A sandbox that is off is no reason for a tick.
const looks = (line: ExplainLine, ask: AskCard) => (line.layer === "sandbox" && !ask.sandbox.on ? "off" : line.verdict);

/** The time left, as a ring and in words, and more of it. */
export function TimeLeft({ page, ask }: { page: Page; ask: AskCard }) {
  const { state } = page;
  const time = left(state, ask, page.now);
  const whole = (state.settings?.ask_seconds ?? 120) * 1000;
  const window = state.window;
  return (
    <span class={`time ${time < SOON_MS ? "warn" : ""}`}>
      <svg class="ring" viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <circle cx="10" cy="10" r="8" pathLength={100} class="whole" />
        <circle cx="10" cy="10" r="8" pathLength={100} stroke-dasharray={`${Math.min(100, (time / whole) * 100)} 100`} />
      </svg>
      {t("timeLeft", { time: countdown(time) })}
      {window && <button class="plain" onClick={() => page.attempt(api.extend(ask.id, window))}>{t("moreTime")}</button>}
    </span>
  );
}
