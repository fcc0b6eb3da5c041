// The queue of asks: oldest first, one in front, moved with J and K. There is no
// "allow all".
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import { Card } from "./ask";

export function Asks({ page, board }: { page: Page; board?: string }) {
  const asks = page.state.asks.filter((a) => board === undefined || a.board === board);
  const [front, setFront] = useState(0);
  const at = Math.min(front, Math.max(0, asks.length - 1));

  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement
        && event.target.closest("input, textarea, select, .xterm") !== null;
      if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "j") setFront(Math.min(at + 1, asks.length - 1));
      if (event.key === "k") setFront(Math.max(at - 1, 0));
    };
    addEventListener("keydown", move);
    return () => removeEventListener("keydown", move);
  });

  const ids = asks.map((a) => a.id).join(" ");
  useEffect(() => { if (ids) page.shown(ids.split(" ")); }, [ids, page.state.window]);

  const counts = new Map<string, number>();
  for (const ask of asks) counts.set(ask.loop_id, (counts.get(ask.loop_id) ?? 0) + 1);
  return (
    <section id="asks" class="asks" aria-label={t("asks")} tabIndex={-1}>
      <h2>{t("asks")} {asks.length > 0 && <span class="count">{asks.length}</span>}</h2>
      {asks.length === 0 ? <p class="quiet">{t("noAsks")}</p> : <p class="quiet keys">{t("keysHelp")}</p>}
      {asks.map((ask, i) => (
        <div key={ask.id} onFocusIn={() => setFront(i)}>
          <Card ask={ask} page={page} active={i === at} />
          {(counts.get(ask.loop_id) ?? 0) > 1 && page.state.window && i === at && (
            <button class="plain deny" onClick={() => page.attempt(api.denyAll(ask.loop_id, page.state.window ?? "", null))}>
              {t("denyLoop")}</button>
          )}
        </div>
      ))}
      <p class="unseen" role="alert" aria-live="assertive">
        {asks.length > 0 && asks[asks.length - 1] ? t("newAsk", { bubble: asks[asks.length - 1]?.bubble_name ?? "" }) : ""}
      </p>
    </section>
  );
}
