// The person's terminals: tabs at the bottom of the page. xterm.js loads when the panel
// opens for the first time, never before.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import type { Terminal } from "../wire";
import type { Screen } from "./screen";

/** Opens a terminal in the folder of the board that is looked at, else at home. */
export async function openTerminal(page: Page, shell: string): Promise<string> {
  const { where, state } = page;
  const board = where.view === "board" ? state.boards.find((b) => b.id === where.board) : undefined;
  const open = (folder: string | null) => api.openTerminal(shell, folder, 80, 24);
  const id = await open(board?.project ?? null).catch((error: unknown) => {
    // The folder's name may hold characters that are only shown as marks.
    if (board && error instanceof api.Failure && error.id === "no_folder") return open(null);
    throw error;
  });
  page.useTerminal(id);
  return id;
}

export function Panel({ page, pageKey }: { page: Page; pageKey: string }) {
  const { terminals, shells } = page.state;
  const active = terminals.find((x) => x.id === page.activeTerminal) ?? terminals[0];
  useEffect(() => { if (active && active.id !== page.activeTerminal) page.useTerminal(active.id); }, [active?.id]);
  const add = (shell: string) => page.attempt(openTerminal(page, shell));
  return (
    <section class="shells" aria-label={t("terminal")}>
      <div class="tabs">
        {terminals.map((x) => (
          <span class={`tab-of ${x.id === active?.id ? "active" : ""}`} key={x.id}>
            <button class="plain" aria-pressed={x.id === active?.id} onClick={() => page.useTerminal(x.id)}>{x.shell}</button>
            <button class="plain" aria-label={`${t("closeTerminal")} ${x.shell}`} onClick={() => page.attempt(api.closeTerminal(x.id))}>×</button>
          </span>))}
        {shells.map((shell) => <button class="plain add" onClick={() => add(shell)}>{t("newTerminal", { shell })}</button>)}
        <button class="plain end" onClick={() => page.showTerminal(false)}>{t("close")}</button>
      </div>
      {active ? <Tab key={active.id} terminal={active} pageKey={pageKey} /> : <p class="quiet">{t("terminalHelp")}</p>}
    </section>
  );
}

function Tab({ terminal, pageKey }: { terminal: Terminal; pageKey: string }) {
  const box = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen | null>(null);
  const [ended, setEnded] = useState(terminal.ended);
  const [joined, setJoined] = useState(true);
  const [folder, setFolder] = useState("");
  const [exit, setExit] = useState<number | null>(null);
  const [marked, setMarked] = useState(false);
  const [aloud, setAloud] = useState(false);
  useEffect(() => {
    let gone = false;
    void import("./screen").then(({ openScreen, isReadAloud }) => {
      if (gone || !box.current) return;
      setAloud(isReadAloud());
      const tells = { ended: setEnded, joined: setJoined, folder: setFolder, exit: setExit, prompts: () => setMarked(true) };
      screen.current = openScreen(box.current, terminal.id, pageKey, tells);
    });
    return () => { gone = true; screen.current?.close(); };
  }, [terminal.id]);
  const read = (on: boolean) => { setAloud(on); screen.current?.read(on); };
  return (
    <>
      <div class="under-tabs">
        <span class="quiet" role="status">{state(ended, joined)}</span>
        <span class="quiet at">{folder && <code>{folder}</code>}
          {exit !== null && <span class={`verdict ${exit === 0 ? "allowed" : "refused"}`}>{t("end_exit", { code: exit })}</span>}</span>
        <label class="aloud"><input type="checkbox" checked={aloud} onChange={(e) => read(e.currentTarget.checked)} />{t("readAloud")}</label>
        {marked && <Jump screen={() => screen.current} />}
        <Find screen={() => screen.current} />
      </div>
      <div ref={box} class="screen" />
    </>
  );
}

// From prompt to prompt; the same as Ctrl+Shift+↑ and ↓ in the terminal.
function Jump({ screen }: { screen(): Screen | null }) {
  return (
    <span class="jump">
      <button class="plain" title="Ctrl+Shift+↑" onClick={() => screen()?.jump("previous")}>{t("previousPrompt")}</button>
      <button class="plain" title="Ctrl+Shift+↓" onClick={() => screen()?.jump("next")}>{t("nextPrompt")}</button>
    </span>
  );
}

function state(ended: number | null, joined: boolean) {
  if (ended !== null) return <span class="warn">{t("terminalEnded", { code: ended })}</span>;
  return joined ? t("terminalHelp") : <span class="warn">{t("terminalLost")}</span>;
}

// Enter goes on to the next place, Shift+Enter back.
function Find({ screen }: { screen(): Screen | null }) {
  const [text, setText] = useState("");
  const [missing, setMissing] = useState(false);
  const find = (way: "next" | "previous") => setMissing(text !== "" && screen()?.find(text, way) === false);
  return (
    <form class="find" role="search" onSubmit={(e) => { e.preventDefault(); find("next"); }}>
      {missing && <span role="status" class="warn">{t("notFound")}</span>}
      <input aria-label={t("findInTerminal")} placeholder={t("findInTerminal")} value={text}
        onInput={(e) => { setText(e.currentTarget.value); setMissing(false); }}
        onKeyDown={(e) => { if (e.key === "Enter" && e.shiftKey) { e.preventDefault(); find("previous"); } }} />
      <button type="button" class="plain" aria-label={t("findPrevious")} onClick={() => find("previous")}>↑</button>
      <button class="plain" aria-label={t("findNext")}>↓</button>
    </form>
  );
}
