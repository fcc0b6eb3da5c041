// Loops as a tree, with their bubbles. A board may have thousands: what is folded isn't
// made, and long levels come in parts.
import { useMemo, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import type { Board, Bubble, Loop, Tool } from "../wire";
import { useFirst } from "./first";

/** So many loops of one level are made at once. */
const PART = 60;
/** And so many of these before the others. */
const SCREENFUL = 25;
/** A board with more loops than this gets a field to find one, and starts folded. */
const MANY = 12;

type Children = Map<string | null, Loop[]>;

export function Loops({ board, page }: { board: Board; page: Page }) {
  const [find, setFind] = useState("");
  const many = board.loops.length > MANY;
  const children = useMemo(() => {
    const words = find.trim().toLowerCase();
    const tree: Children = new Map();
    for (const loop of board.loops) {
      if (words && !`${loop.name} ${loop.folder}`.toLowerCase().includes(words)) continue;
      const parent = words ? null : loop.parent;
      tree.set(parent, [...(tree.get(parent) ?? []), loop]);
    }
    return tree;
  }, [board.loops, find]);
  return (
    <>
      {many && <input class="find-loop" type="search" value={find} placeholder={t("findLoop")} aria-label={t("findLoop")} onInput={(e) => setFind(e.currentTarget.value)} />}
      <Level of={null} tree={children} page={page} folded={many} />
      {board.loops.length === 0 && <p class="quiet">{t("noLoops")}</p>}
    </>
  );
}

function Level({ of, tree, page, folded }: { of: string | null; tree: Children; page: Page; folded: boolean }) {
  const [count, setCount] = useState(PART);
  const most = useFirst(SCREENFUL);
  const here = tree.get(of) ?? [];
  if (here.length === 0) return null;
  return (
    <ul class="tree">
      {here.slice(0, Math.min(count, most)).map((loop) => <LoopItem key={loop.id} loop={loop} tree={tree} page={page} folded={folded} />)}
      {here.length > count && <li><button class="plain" onClick={() => setCount(count + 10 * PART)}>{t("moreLoops", { count: here.length - count })}</button></li>}
    </ul>
  );
}

function LoopItem({ loop, tree, page, folded }: { loop: Loop; tree: Children; page: Page; folded: boolean }) {
  const [open, setOpen] = useState(!folded);
  const busy = loop.bubbles.filter((b) => b.state === "running" || b.state === "waiting").length;
  return (
    <li class="loop">
      <button class="plain twist" aria-expanded={open} onClick={() => setOpen(!open)}>
        <b>{loop.name}</b> <span class="quiet">{loop.folder}</span>
        {loop.bubbles.length > 0 && <span class={`number ${busy ? "warn" : "quiet"}`}>{loop.bubbles.length}</span>}
      </button>
      {open && (
        <div class="inside">
          {loop.bubbles.length > 0 && <ul>{loop.bubbles.map((bubble) => <BubbleItem key={bubble.id} bubble={bubble} page={page} />)}</ul>}
          <LoopActions loop={loop} page={page} />
          <Level of={loop.id} tree={tree} page={page} folded={folded} />
        </div>
      )}
    </li>
  );
}

function BubbleItem({ bubble, page }: { bubble: Bubble; page: Page }) {
  return (
    <li class="bubble">
      <span class={`dot ${bubble.state}`} aria-hidden="true" />
      <span>{bubble.name} <small>{bubble.role.name}{bubble.host && ` · ${bubble.host}`} · {t(`state_${bubble.state}`)}</small></span>
      {bubble.state !== "ended" && <button class="plain" aria-label={`${t("endBubble")}: ${bubble.name}`} onClick={() => page.attempt(api.endBubble(bubble.id))}>{t("endBubble")}</button>}
    </li>
  );
}

function LoopActions({ loop, page }: { loop: Loop; page: Page }) {
  const [adding, setAdding] = useState(false);
  return (
    <div class="loop-actions">
      <button class="plain" aria-expanded={adding} onClick={() => setAdding(!adding)}>{t("addBubble")}</button>
      <button class="plain" onClick={() => page.attempt(api.removeLoop(loop.id))}>{t("removeLoop")}</button>
      {adding && <AddBubble loop={loop} page={page} done={() => setAdding(false)} />}
    </div>
  );
}

const TOOLS: Tool[] = ["read_files", "write_files", "run_commands"];

function AddBubble({ loop, page, done }: { loop: Loop; page: Page; done(): void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState("Coder");
  const [tools, setTools] = useState<Tool[]>(["read_files"]);
  const custom = role === "";
  const add = (e: Event) => {
    e.preventDefault();
    page.attempt(api.createBubble(loop.id, name, custom ? { custom: tools } : { role }).then(done));
  };
  return (
    <form class="small-form" onSubmit={add}>
      <label>{t("bubbleName")}<input required value={name} onInput={(e) => setName(e.currentTarget.value)} /></label>
      <label>{t("role")}<select value={role} onChange={(e) => setRole(e.currentTarget.value)}>
        {page.state.roles.map((r) => <option value={r.name}>{r.name}</option>)}
        <option value="">{t("custom")}</option></select></label>
      {custom && <fieldset><legend>{t("tools")}</legend>{TOOLS.map((tool) => (
        <label><input type="checkbox" checked={tools.includes(tool)}
          onChange={(e) => setTools(e.currentTarget.checked ? [...tools, tool] : tools.filter((x) => x !== tool))} />{t(`tool_${tool}`)}</label>))}</fieldset>}
      <button>{t("add")}</button>
    </form>
  );
}

export function AddLoop({ board, page }: { board: Board; page: Page }) {
  const [adding, setAdding] = useState(false);
  const [name, setName] = useState("");
  const [folder, setFolder] = useState("");
  const add = (e: Event) => {
    e.preventDefault();
    page.attempt(api.createLoop(board.id, name, folder).then(() => { setName(""); setFolder(""); setAdding(false); }));
  };
  return (
    <>
      <button class="plain" aria-expanded={adding} onClick={() => setAdding(!adding)}>{t("addLoop")}</button>
      {adding && (
        <form class="small-form" onSubmit={add}>
          <label>{t("loopName")}<input required value={name} onInput={(e) => setName(e.currentTarget.value)} /></label>
          <label>{t("loopFolder")}<input required value={folder} onInput={(e) => setFolder(e.currentTarget.value)} /></label>
          <button>{t("add")}</button>
        </form>
      )}
    </>
  );
}
