// The journal: search, filters, older pages.
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import type { Entry, Verdict } from "../wire";
import { EntryRow } from "./entry";

export function Journal({ page }: { page: Page }) {
  const [text, setText] = useState("");
  const [verdict, setVerdict] = useState<Verdict | "">("");
  const [entries, setEntries] = useState<Entry[]>([]);
  const [next, setNext] = useState<number | null>(null);
  const search = (before?: number) => page.attempt(
    api.journal({ text, ...(verdict ? { verdict } : {}), ...(before === undefined ? {} : { before }) }).then((found) => {
      setEntries((old) => (before === undefined ? found.entries : [...old, ...found.entries]));
      setNext(found.next);
    }));
  useEffect(() => search(), [verdict]);
  return (
    <section>
      <h1>{t("journal")}</h1>
      <form class="line" role="search" onSubmit={(e) => { e.preventDefault(); search(); }}>
        <label>{t("search")}<input type="search" value={text} onInput={(e) => setText(e.currentTarget.value)} /></label>
        <label class="unseen" for="verdict">{t("anyVerdict")}</label>
        <select id="verdict" value={verdict} onChange={(e) => setVerdict(e.currentTarget.value as Verdict | "")}>
          <option value="">{t("anyVerdict")}</option>
          {(["allowed", "asked", "refused"] as const).map((v) => <option value={v}>{t(`verdict_${v}`)}</option>)}
        </select>
        <button>{t("search")}</button>
      </form>
      {entries.length === 0 && <p class="quiet">{t("noEntries")}</p>}
      <ol class="log">{entries.map((entry) => <EntryRow key={entry.id} entry={entry} page={page} />)}</ol>
      {next !== null && <button class="plain" onClick={() => search(next)}>{t("older")}</button>}
    </section>
  );
}
