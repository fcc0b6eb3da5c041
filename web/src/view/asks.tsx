// The queue of asks: by bubble, oldest first, one in front, moved with J and K. There is
// no "allow all", not for asks that are the same either.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { grouped, type Row } from "../queue";
import { left } from "../state";
import { t } from "../text";
import { countdown } from "../time";
import type { AskCard } from "../wire";
import { Card } from "./ask";
import { letter } from "./keys";
import { outcome } from "./outcome";
import { useDismissal } from "./settled";
import { Shown } from "./shown";

export function Asks({ page, board, first }: { page: Page; board?: string; first?: string | undefined }) {
  const { state } = page;
  const asks = state.asks.filter((a) => board === undefined || a.board === board);
  const open = asks.filter((a) => !(a.id in state.settled));
  const [chosen, choose] = useState<string | undefined>(first);
  // The chosen one, also when it has just settled elsewhere; else the oldest.
  const front = asks.find((a) => a.id === chosen) ?? open[0] ?? asks[0];
  const groups = grouped(asks, (a) => a.id in state.settled);
  const rows = groups.flatMap((g) => g.rows);
  const holds = (row: Row | undefined) => row?.asks.some((a) => a.id === front?.id) ?? false;
  const at = rows.findIndex(holds);
  const box = useRef<HTMLElement>(null);

  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[letter(event) ?? ""];
      const to = step === undefined ? undefined : rows[at + step];
      if (to) choose(to.asks[0].id);
    };
    addEventListener("keydown", move);
    return () => removeEventListener("keydown", move);
  });

  // Only the card in front can be read, so only that one counts as shown.
  useEffect(() => { if (front && state.window) page.shown([front.id]); }, [front?.id, state.window]);

  const newest = open[open.length - 1];
  return (
    <section id="asks" class="asks" ref={box} aria-label={t("asks")} tabIndex={-1}>
      <header class="head">
        <h2>{t("asks")}{open.length > 0 && <span class="count">{open.length}</span>}</h2>
        {open.length > 0 && <p class="quiet keys">{t("keysHelp")}</p>}
      </header>
      {asks.length === 0 && <p class="quiet empty">{t("noAsks")}</p>}
      {groups.map(({ bubble, rows: [one, ...others] }) => one && (
        <div key={bubble} role="group" aria-label={one.asks[0].bubble_name}>
          {groups.length > 1 && <h3 class="of-bubble">{one.asks[0].bubble_name} <span class="quiet">{t("cardOf", { role: one.asks[0].role, loop: one.asks[0].loop_name })}</span></h3>}
          {[one, ...others].map((row) => (front && holds(row)
            ? <Card key={front.id} ask={front} page={page} answered={() => choose(undefined)} same={row.asks.length} />
            : <NextRow key={row.asks[0].id} row={row} page={page} choose={() => choose(row.asks[0].id)} />))}
        </div>))}
      {front && <DenyLoop page={page} ask={front} count={open.filter((a) => a.loop_id === front.loop_id).length} />}
      <p class="unseen" role="alert" aria-live="assertive">{newest ? t("newAsk", { bubble: newest.bubble_name }) : ""}</p>
    </section>
  );
}

function NextRow({ row, page, choose }: { row: Row; page: Page; choose(): void }) {
  const [ask] = row.asks;
  const settled = page.state.settled[ask.id];
  useDismissal(page, ask.id);
  return (
    <button class={`card next ${settled ? "settled" : ""}`} onClick={choose}>
      <span class="who">{ask.bubble_name} · {ask.loop_name}</span>
      <span class="oneline"><Shown text={ask.command} />{row.asks.length > 1 && <span class="badge">{t("sameAsks", { count: row.asks.length })}</span>}</span>
      <span class="quiet">{settled ? outcome(settled, page.state.window) : countdown(left(page.state, ask, page.now))}</span>
    </button>
  );
}

function DenyLoop({ page, ask, count }: { page: Page; ask: AskCard; count: number }) {
  const window = page.state.window;
  if (count < 2 || !window) return null;
  return (
    <p class="after"><button class="plain deny" onClick={() => page.attempt(api.denyAll(ask.loop_id, window, null))}>
      {t("denyLoop", { count, loop: ask.loop_name })}</button></p>
  );
}
