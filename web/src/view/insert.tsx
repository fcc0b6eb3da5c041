// "Run in terminal": puts a command on the person's own input line and never presses
// Enter. The page sends the entry's id; the gateway takes the text from its own record.
import { useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import type { Entry, InsertResult, ShownText } from "../wire";
import { Shown } from "./shown";

export function Insert({ entry, page }: { entry: Entry; page: Page }) {
  const [result, setResult] = useState<InsertResult | null>(null);
  const [message, setMessage] = useState("");
  const put = (confirmed: boolean) => {
    const terminal = page.activeTerminal;
    page.showTerminal(true);
    if (!terminal) { setMessage(t("noTerminal")); return; }
    page.attempt(api.insert(terminal, entry.id, confirmed).then((r) => {
      setResult(r);
      setMessage(r.result === "inserted" ? t("insertHint") : r.result === "refused" ? r.text : "");
    }));
  };
  return (
    <span class="insert">
      <button class="plain" onClick={() => put(false)}>{t("runInTerminal")}</button>
      {result?.result === "preview" && (
        <div class="card" role="group" aria-label={t("insertPreview")}>
          <p>{t("insertPreview")}</p>
          <Shown text={result.command} />
          <button onClick={() => put(true)}>{t("putIt")}</button>
          <button class="plain" onClick={() => setResult(null)}>{t("close")}</button>
        </div>
      )}
      {result?.result === "refused" && <Copy text={result.command} />}
      {message && <small role="status">{message}</small>}
    </span>
  );
}

// Copies what is shown, marks and all: a hidden character must not travel unseen.
function Copy({ text }: { text: ShownText }) {
  const [done, setDone] = useState(false);
  const copy = () => navigator.clipboard.writeText(text.pieces.map((p) => p.text).join("")).then(() => setDone(true));
  return <button class="plain" onClick={copy}>{done ? t("copied") : t("copy")}</button>;
}
