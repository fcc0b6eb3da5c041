// Full Auto: on only by typing the board's name, and never quiet while it is on.
import { useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import { age } from "../time";
import type { Board } from "../wire";

export function FullAuto({ board, page }: { board: Board; page: Page }) {
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState("");
  const window = page.state.window;
  const { on, since, allowed } = board.full_auto;
  const put = (to: boolean) => window && page.attempt(
    api.fullAuto(board.id, to, to ? typed : null, window).then(() => { setAsking(false); setTyped(""); }));
  if (on) {
    return (
      <p class="auto on"><b>{t("fullAutoOn", { age: age(page.now + page.state.clock - (since ?? 0)) })}</b>
        <button class="plain" onClick={() => page.go({ view: "journal", board: board.id, source: "full_auto" })}>{t("fullAutoCount", { count: allowed })}</button>
        <button disabled={!window} onClick={() => put(false)}>{t("switchOff")}</button></p>
    );
  }
  return (
    <>
      <button class="badge" aria-expanded={asking} onClick={() => setAsking(!asking)}>{t("fullAutoOff")}</button>
      {asking && (
        <form class="card auto-form" onSubmit={(e) => { e.preventDefault(); put(true); }}>
          <label>{t("fullAutoWarning")} <b>{board.name}</b>
            <input value={typed} autocomplete="off" spellcheck={false} onInput={(e) => setTyped(e.currentTarget.value)} /></label>
          <button class="deny" disabled={typed !== board.name || !window}>{t("switchOn")}</button>
          <button class="plain" type="button" onClick={() => setAsking(false)}>{t("cancel")}</button>
        </form>
      )}
    </>
  );
}
