// The journal: search, filters, older pages, export.
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import type { DecisionSource, Entry, Verdict } from "../wire";
import { Entries } from "./entry";

const VERDICTS: Verdict[] = ["allowed", "asked", "refused"];
const SOURCES: DecisionSource[] = [
  "rule", "tools", "user_temporary", "user_permanent", "grant", "full_auto",
  "user_reject", "user_abort", "no_window", "timeout", "sandbox",
];

export function Journal({ page }: { page: Page }) {
  const [text, setText] = useState("");
  const [verdict, setVerdict] = useState<Verdict | "">("");
  // A link from elsewhere on the page brings its filters along.
  const from = page.where.view === "journal" ? page.where : undefined;
  const [board, setBoard] = useState(from?.board ?? "");
  const [source, setSource] = useState<DecisionSource | "">(SOURCES.find((s) => s === from?.source) ?? "");
  const [entries, setEntries] = useState<Entry[] | null>(null);
  const [next, setNext] = useState<number | null>(null);
  const search = (before?: number) => page.attempt(
    api.journal({ text, board, ...(verdict ? { verdict } : {}), ...(source ? { source } : {}), ...(before === undefined ? {} : { before }) }).then((found) => {
      setEntries((old) => (before === undefined ? found.entries : [...(old ?? []), ...found.entries]));
      setNext(found.next);
    }));
  useEffect(() => search(), [verdict, source, board]);
  return (
    <section>
      <h1>{t("journal")}</h1>
      <form class="line" role="search" onSubmit={(e) => { e.preventDefault(); search(); }}>
        <label class="grows">{t("searchHelp")}<input type="search" value={text} onInput={(e) => setText(e.currentTarget.value)} /></label>
        <label>{t("verdict")}<select value={verdict} onChange={(e) => setVerdict(e.currentTarget.value as Verdict | "")}>
          <option value="">{t("any")}</option>
          {VERDICTS.map((v) => <option value={v}>{t(`verdict_${v}`)}</option>)}
        </select></label>
        <label>{t("decided")}<select value={source} onChange={(e) => setSource(e.currentTarget.value as DecisionSource | "")}>
          <option value="">{t("any")}</option>
          {SOURCES.map((s) => <option value={s}>{t(`source_${s}`)}</option>)}
        </select></label>
        <label>{t("board")}<select value={board} onChange={(e) => setBoard(e.currentTarget.value)}>
          <option value="">{t("any")}</option>
          {page.state.boards.map((b) => <option value={b.id}>{b.name}</option>)}
        </select></label>
        <button>{t("search")}</button>
        <button type="button" onClick={() => page.attempt(download())}>{t("export")}</button>
      </form>
      {entries?.length === 0 && <p class="quiet empty">{t("noEntries")}</p>}
      <Entries entries={entries ?? []} page={page} />
      {next !== null && <p class="after"><button class="plain" onClick={() => search(next)}>{t("older")}</button></p>}
    </section>
  );
}

// The page's key can't go into a link, so the file is fetched and handed over.
async function download(): Promise<void> {
  const file = URL.createObjectURL(await api.exported());
  const link = document.createElement("a");
  link.href = file;
  link.download = "cerco-journal.jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(file), 60_000);
}
