// A board: its asks and log, and beside them its loops, Full Auto and grants.
import { useEffect, useMemo, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { said, t } from "../text";
import { age } from "../time";
import type { Board as BoardType } from "../wire";
import { Asks } from "./asks";
import { EntryRow } from "./entry";
import { useFirst } from "./first";
import { FullAuto } from "./full-auto";
import { AddLoop, Loops } from "./loops";
import { SaidItem } from "./said";

export function Board({ board, page }: { board: BoardType; page: Page }) {
  return (
    <div class="board">
      <header class="title">
        <h1>{board.name}</h1><span class="quiet path">{board.project}</span>
        <SandboxBadge page={page} />
        <FullAuto board={board} page={page} />
      </header>
      <div class="columns">
        <div class="wide">
          <Asks page={page} board={board.id} />
          <Log board={board} page={page} />
        </div>
        <aside>
          <section aria-label={t("loops")}>
            <h2>{t("loops")}<span class="quiet number">{board.loops.length}</span></h2>
            <Loops board={board} page={page} />
            <AddLoop board={board} page={page} />
          </section>
          <Grants board={board} page={page} />
        </aside>
      </div>
    </div>
  );
}

function SandboxBadge({ page }: { page: Page }) {
  const on = page.state.settings?.sandbox ?? false;
  return <button class={`badge ${on ? "allowed" : ""}`} onClick={() => page.go({ view: "settings" })}>{t(on ? "sandboxIsOn" : "sandboxIsOff")}</button>;
}

/** A log that opens with fewer entries than this looks for more in the journal. */
const FEW = 20;
/** So many lines of it are drawn before the others. */
const SCREENFUL = 20;

function Log({ board, page }: { board: BoardType; page: Page }) {
  const { entries: all, older: first, said } = page.state;
  const entries = useMemo(() => all.filter((e) => e.board === board.id), [all, board.id]);
  const lines = useMemo(() => [
    ...entries.map((entry) => ({ key: `e${entry.id}`, time: entry.time, entry })),
    ...said.filter((s) => s.board === board.id).map((s) => ({ key: `s${s.id}`, time: s.time, said: s })),
  ].sort((a, b) => b.time - a.time), [entries, said, board.id]);
  const most = useFirst(SCREENFUL);
  const [older, setOlder] = useState(first);
  const load = (before: number) => page.attempt(
    api.journal({ board: board.id, before }).then((found) => {
      page.add(found.entries);
      setOlder(found.next);
    }));
  // The state comes with the newest entries of all boards; other boards may have filled it.
  useEffect(() => {
    setOlder(first);
    if (first !== null && entries.length < FEW) load(first);
  }, [board.id, first]);
  return (
    <section aria-label={t("log")}>
      <header class="head"><h2>{t("log")}</h2></header>
      {older === null && lines.length === 0 && <p class="quiet empty">{t("noLog")}</p>}
      <ol class="log">{lines.slice(0, most).map((line) => ("entry" in line
        ? <EntryRow key={line.key} entry={line.entry} page={page} />
        : <SaidItem key={line.key} said={line.said} page={page} />))}</ol>
      {older !== null && <p class="after"><button class="plain" onClick={() => load(older)}>{t("older")}</button></p>}
    </section>
  );
}

function Grants({ board, page }: { board: BoardType; page: Page }) {
  const now = page.now + page.state.clock;
  return (
    <section aria-label={t("grants")}>
      <h2>{t("grants")}</h2>
      {board.grants.length === 0 && <p class="quiet">{t("noGrants")}</p>}
      <ul class="grants">{board.grants.map((g) => (
        <li><span><b title={g.kind}>{said(g.kind)}</b> <small>{t("grantSince", { age: age(now - g.given_at), used: g.used, window: g.window })}</small></span>
          <button class="plain" aria-label={`${t("revoke")}: ${said(g.kind)}`} onClick={() => page.attempt(api.revoke(board.id, g.id))}>{t("revoke")}</button></li>))}</ul>
      {board.grants.length > 0 && <p class="quiet">{t("grantsEnd")}</p>}
    </section>
  );
}
