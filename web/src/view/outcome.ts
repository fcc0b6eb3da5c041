// How an ask came out, in words.
import { t } from "../text";
import type { AskState, WindowId } from "../wire";

const ANSWERS = { allow_once: "allowOnce", allow_always: "allowAlways", deny: "deny" } as const;

/** The words for a settled ask, as the window `own` sees it. */
export function outcome(state: AskState, own: WindowId | null): string {
  switch (state.state) {
    case "answered":
      return t(state.window === own ? "answeredHere" : "answeredElsewhere", { answer: t(ANSWERS[state.answer]) });
    case "expired": return t("expired");
    case "withdrawn": return t("withdrawn");
    case "no_window": return t("noWindow");
    case "open": return "";
  }
}
