// A board: its asks, its loops as a tree with their bubbles, Full Auto, grants, its log.
import { useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import { age } from "../time";
import type { Board as BoardType, Loop, Tool } from "../wire";
import { Asks } from "./asks";
import { EntryRow } from "./entry";

export function Boards({ page }: { page: Page }) {
  const [project, setProject] = useState("");
  const { boards } = page.state;
  return (
    <section>
      <h1>{t("boards")}</h1>
      <ul class="boards">
        {boards.map((board) => (
          <li><button class="row" onClick={() => page.go({ view: "board", board: board.id })}>
            <b>{board.name}</b> <span class="quiet">{board.project}</span>
            {board.full_auto.on && <span class="badge warn">{t("fullAuto")}</span>}
            <Waiting page={page} board={board.id} />
          </button></li>
        ))}
      </ul>
      {boards.length === 0 && <p>{t("noBoards")}</p>}
      <form class="line" onSubmit={(e) => { e.preventDefault(); page.attempt(api.openBoard(project).then(() => setProject(""))); }}>
        <label>{t("projectFolder")}<input value={project} required onInput={(e) => setProject(e.currentTarget.value)} /></label>
        <button>{t("openBoard")}</button>
      </form>
      <p class="quiet">{t("noBoardsHelp")}</p>
      <Asks page={page} />
    </section>
  );
}

function Waiting({ page, board }: { page: Page; board: string }) {
  const count = page.state.asks.filter((a) => a.board === board).length;
  return count > 0 ? <span class="count">{count}</span> : null;
}

export function Board({ board, page }: { board: BoardType; page: Page }) {
  const entries = page.state.entries.filter((e) => e.board === board.id);
  return (
    <div class="board">
      <header class="title">
        <h1>{board.name}</h1><span class="quiet">{board.project}</span>
        <FullAuto board={board} page={page} />
      </header>
      <Asks page={page} board={board.id} />
      <section class="loops" aria-label={t("loops")}>
        <h2>{t("loops")}</h2>
        <Tree loops={board.loops} parent={null} page={page} />
        <AddLoop board={board} page={page} />
      </section>
      <section aria-label={t("log")}>
        <h2>{t("log")}</h2>
        {entries.length === 0 && <p class="quiet">{t("noLog")}</p>}
        <ol class="log">{entries.map((entry) => <EntryRow key={entry.id} entry={entry} page={page} />)}</ol>
      </section>
      <section aria-label={t("grants")}>
        <h2>{t("grants")}</h2>
        {board.grants.length === 0 && <p class="quiet">{t("noGrants")}</p>}
        <ul>{board.grants.map((g) => (
          <li><b>{g.kind}</b> <span class="quiet">{t("grantSince", { age: age(page.now + page.state.clock - g.given_at), used: g.used, window: g.window })}</span>
            <button class="plain" onClick={() => page.attempt(api.revoke(board.id, g.id))}>{t("revoke")}</button></li>))}</ul>
      </section>
    </div>
  );
}

function FullAuto({ board, page }: { board: BoardType; page: Page }) {
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState("");
  const window = page.state.window;
  const { on, since, allowed } = board.full_auto;
  const put = (to: boolean) => window && page.attempt(
    api.fullAuto(board.id, to, to ? typed : null, window).then(() => { setAsking(false); setTyped(""); }));
  if (on) {
    return <p class="warn auto">{t("fullAutoOn", { age: age(page.now + page.state.clock - (since ?? 0)), allowed })}
      <button onClick={() => put(false)}>{t("switchOff")}</button></p>;
  }
  return (
    <div class="auto">
      <span class="quiet">{t("fullAutoOff")}</span>
      <button class="plain" aria-expanded={asking} onClick={() => setAsking(!asking)}>{t("switchOn")}</button>
      {asking && (
        <form class="card" onSubmit={(e) => { e.preventDefault(); put(true); }}>
          <label>{t("fullAutoWarning")} <b>{board.name}</b>
            <input value={typed} autocomplete="off" onInput={(e) => setTyped(e.currentTarget.value)} /></label>
          <button class="deny" disabled={typed !== board.name}>{t("switchOn")}</button>
        </form>
      )}
    </div>
  );
}

function Tree({ loops, parent, page }: { loops: Loop[]; parent: string | null; page: Page }) {
  const here = loops.filter((l) => l.parent === parent);
  if (here.length === 0) return null;
  return (
    <ul class="tree">
      {here.map((loop) => (
        <li>
          <details open={here.length <= 20}>
            <summary><b>{loop.name}</b> <span class="quiet">{loop.folder}</span></summary>
            <ul>
              {loop.bubbles.map((bubble) => (
                <li class={`bubble ${bubble.state}`}>{bubble.name} <span class="quiet">{bubble.role.name}{bubble.host && ` · ${bubble.host}`} · {t(`state_${bubble.state}`)}</span>
                  {bubble.state !== "ended" && <button class="plain" onClick={() => page.attempt(api.endBubble(bubble.id))}>{t("endBubble")}</button>}</li>))}
            </ul>
            <AddBubble loop={loop} page={page} />
            <button class="plain" onClick={() => page.attempt(api.removeLoop(loop.id))}>{t("removeLoop")}</button>
            <Tree loops={loops} parent={loop.id} page={page} />
          </details>
        </li>
      ))}
    </ul>
  );
}

function AddLoop({ board, page }: { board: BoardType; page: Page }) {
  const [name, setName] = useState("");
  const [folder, setFolder] = useState("");
  const add = (e: Event) => {
    e.preventDefault();
    page.attempt(api.createLoop(board.id, name, folder).then(() => { setName(""); setFolder(""); }));
  };
  return (
    <details><summary>{t("addLoop")}</summary>
      <form class="line" onSubmit={add}>
        <label>{t("loopName")}<input required value={name} onInput={(e) => setName(e.currentTarget.value)} /></label>
        <label>{t("loopFolder")}<input required value={folder} onInput={(e) => setFolder(e.currentTarget.value)} /></label>
        <button>{t("addLoop")}</button>
      </form>
    </details>
  );
}

const TOOLS: Tool[] = ["read_files", "write_files", "run_commands"];

function AddBubble({ loop, page }: { loop: Loop; page: Page }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState("Coder");
  const [tools, setTools] = useState<Tool[]>(["read_files"]);
  const custom = role === "";
  const add = (e: Event) => {
    e.preventDefault();
    page.attempt(api.createBubble(loop.id, name, custom ? { custom: tools } : { role }).then(() => setName("")));
  };
  return (
    <details><summary>{t("addBubble")}</summary>
      <form class="line" onSubmit={add}>
        <label>{t("bubbleName")}<input required value={name} onInput={(e) => setName(e.currentTarget.value)} /></label>
        <label>{t("role")}<select value={role} onChange={(e) => setRole(e.currentTarget.value)}>
          {page.state.roles.filter((r) => r.built_in).map((r) => <option value={r.name}>{r.name}</option>)}
          <option value="">{t("custom")}</option></select></label>
        {custom && <fieldset><legend>{t("tools")}</legend>{TOOLS.map((tool) => (
          <label><input type="checkbox" checked={tools.includes(tool)}
            onChange={(e) => setTools(e.currentTarget.checked ? [...tools, tool] : tools.filter((x) => x !== tool))} />{t(`tool_${tool}`)}</label>))}</fieldset>}
        <button>{t("addBubble")}</button>
      </form>
    </details>
  );
}
