// The queue of asks: oldest first, one in front, moved with J and K. There is no
// "allow all".
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { left } from "../state";
import { t } from "../text";
import { countdown } from "../time";
import type { AskCard } from "../wire";
import { Card } from "./ask";
import { letter } from "./keys";
import { outcome } from "./outcome";
import { Shown } from "./shown";

export function Asks({ page, board, first }: { page: Page; board?: string; first?: string | undefined }) {
  const { state } = page;
  const asks = state.asks.filter((a) => board === undefined || a.board === board);
  const open = asks.filter((a) => !(a.id in state.settled));
  const [chosen, choose] = useState<string | undefined>(first);
  // The chosen one, also when it has just settled elsewhere; else the oldest.
  const front = asks.find((a) => a.id === chosen) ?? open[0] ?? asks[0];
  const at = asks.findIndex((a) => a.id === front?.id);
  const box = useRef<HTMLElement>(null);

  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[letter(event) ?? ""];
      const to = step === undefined ? undefined : asks[at + step];
      if (to) choose(to.id);
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
      {asks.map((ask) => ask.id === front?.id
        ? <Card key={ask.id} ask={ask} page={page} answered={() => choose(undefined)} />
        : <Row key={ask.id} ask={ask} page={page} choose={() => choose(ask.id)} />)}
      {front && <DenyLoop page={page} ask={front} count={open.filter((a) => a.loop_id === front.loop_id).length} />}
      <p class="unseen" role="alert" aria-live="assertive">{newest ? t("newAsk", { bubble: newest.bubble_name }) : ""}</p>
    </section>
  );
}

function Row({ ask, page, choose }: { ask: AskCard; page: Page; choose(): void }) {
  const settled = page.state.settled[ask.id];
  return (
    <button class={`card next ${settled ? "settled" : ""}`} onClick={choose}>
      <span class="who">{ask.bubble_name} · {ask.loop_name}</span>
      <span class="oneline"><Shown text={ask.command} /></span>
      <span class="quiet">{settled ? outcome(settled, "elsewhere") : countdown(left(page.state, ask, page.now))}</span>
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
