// "Run in terminal": puts a command, or code that a bubble said, on the person's own input
// line and never presses Enter. The page says whose text; the gateway takes it from its own
// record.
import { useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { openTerminal } from "../terminal/panel";
import { said, t } from "../text";
import type { InsertResult, InsertSource, ShownText } from "../wire";
import { Shown } from "./shown";

/** A shell that was just started needs a moment until it takes text. */
const TRIES = 40;
const TRY_MS = 150;
const NOT_YET = ["no_safe_way", "program_runs", "several_lines"];

export function Insert({ from, page }: { from: InsertSource; page: Page }) {
  const [result, setResult] = useState<InsertResult | null>(null);
  const put = async (confirmed: boolean) => {
    page.showTerminal(true);
    const open = page.state.terminals.find((x) => x.id === page.activeTerminal && x.ended === null);
    if (open) return setResult(await api.insert(open.id, from, confirmed));
    const [shell] = page.state.shells;
    if (shell === undefined) return;
    const terminal = await openTerminal(page, shell);
    for (let i = 0; i < TRIES; i += 1) {
      const now = await api.insert(terminal, from, confirmed);
      setResult(now);
      if (now.result !== "refused" || !NOT_YET.includes(now.id)) return;
      await new Promise((later) => setTimeout(later, TRY_MS));
    }
  };
  return (
    <span class="insert">
      <button onClick={() => page.attempt(put(false))}>{t("runInTerminal")}</button>
      {result?.result === "preview" && (
        <div class="card" role="group" aria-label={t("insertPreview")}>
          <p>{t("insertPreview")}</p>
          <div class="text"><Shown text={result.command} /></div>
          <button onClick={() => page.attempt(put(true))}>{t("putIt")}</button>
          <button class="plain" onClick={() => setResult(null)}>{t("close")}</button>
        </div>
      )}
      {result?.result === "inserted" && <small role="status">{t("insertHint")}</small>}
      {result?.result === "refused" && <small role="status" class="warn">{said(result.text)}</small>}
      {result?.result === "refused" && <Copy text={result.command} />}
    </span>
  );
}

// Copies what is shown, marks and all: a hidden character must not travel unseen.
function Copy({ text }: { text: ShownText }) {
  const [done, setDone] = useState(false);
  const copy = () => navigator.clipboard.writeText(text.pieces.map((p) => p.text).join("")).then(() => setDone(true));
  return <button class="plain" onClick={copy}>{t(done ? "copied" : "copy")}</button>;
}
