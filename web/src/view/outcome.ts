// How an ask came out, in words.
import { t } from "../text";
import type { AskState } from "../wire";

const ANSWERS = { allow_once: "allowOnce", allow_always: "allowAlways", deny: "deny" } as const;

/** The words for a settled ask; `where` it was answered as seen from this window. */
export function outcome(state: AskState, where: "here" | "elsewhere"): string {
  switch (state.state) {
    case "answered":
      return t(where === "here" ? "answeredHere" : "answeredElsewhere", { answer: t(ANSWERS[state.answer]) });
    case "expired": return t("expired");
    case "withdrawn": return t("withdrawn");
    case "no_window": return t("noWindow");
    case "open": return "";
  }
}
