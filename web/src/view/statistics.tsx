// How often people are asked, and about what: fewer questions are safer (UX.md §6, 16).
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { said, t } from "../text";
import { age } from "../time";
import type { Entry } from "../wire";

const HOUR_MS = 3_600_000;
/** What the gateway gives at most in one answer. */
const MOST = 200;

export function AskStatistics({ page }: { page: Page }) {
  const [entries, setEntries] = useState<Entry[]>([]);
  useEffect(() => page.attempt(api.journal({ verdict: "asked", limit: MOST }).then((found) => setEntries(asked(found.entries)))), []);
  const now = page.now + page.state.clock;
  const lastHour = entries.filter((e) => e.time > now - HOUR_MS).length;
  const oldest = entries[entries.length - 1];
  return (
    <section class="card" aria-label={t("statistics")}>
      <h2>{t("statistics")}</h2>
      <p class="quiet">{t("askedLastHour", { count: lastHour })}</p>
      {oldest && <p class="quiet">{t("askedKinds", { count: entries.length, age: age(now - oldest.time) })}</p>}
      <ol class="kinds">{topKinds(entries).map(([kind, count]) => <li><b title={kind}>{said(kind)}</b> <span class="quiet">{count} ×</span></li>)}</ol>
    </section>
  );
}

/** Those that were put to a person: a grant or Full Auto answered the others. */
export function asked(entries: Entry[]): Entry[] {
  return entries.filter((e) => e.source !== "grant" && e.source !== "full_auto" && e.source !== "tools" && e.source !== "sandbox");
}

/** The three kinds that were asked about most. */
export function topKinds(entries: Entry[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const kinds = new Set(entry.findings.map((f) => f.kind).filter((kind) => kind !== null));
    for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 3);
}
