// A settled ask: what came of it, how long that stays on the screen, and "ask me again".
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import type { AskCard, AskState } from "../wire";
import { outcome } from "./outcome";

/** An answered one stays this long; one that nobody answered stays until it is closed. */
const SETTLED_MS = 4000;

/** Takes an answered or withdrawn ask off the screen after a moment. */
export function useDismissal(page: Page, ask: string): void {
  const state = page.state.settled[ask]?.state;
  useEffect(() => {
    if (state !== "answered" && state !== "withdrawn") return undefined;
    const timer = setTimeout(() => page.dismissAsk(ask), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [state]);
}

// What came of it. Who came too late, or said no too soon, can ask to be asked again.
export function Outcome({ ask, page, state }: { ask: AskCard; page: Page; state: AskState }) {
  const [invited, setInvited] = useState(false);
  const refused = state.state !== "answered" || state.answer === "deny";
  const again = () => page.attempt(api.askAgain(ask.id).then(() => setInvited(true)));
  return (
    <p class="outcome"><span role="status">{invited ? t("askAgainSaid", { bubble: ask.bubble_name }) : outcome(state, page.state.window)}</span>
      <span class="more">
        {refused && state.state !== "withdrawn" && !invited && <button title={t("askAgainHelp")} onClick={again}>{t("askAgain")}</button>}
        <button class="plain" onClick={() => page.dismissAsk(ask.id)}>{t("close")}</button></span></p>
  );
}
