// The person's terminals: tabs at the bottom of the page. xterm.js loads when the panel
// opens for the first time, never before.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { t } from "../text";
import type { Terminal } from "../wire";
import type { Screen } from "./screen";

export function Panel({ page, pageKey }: { page: Page; pageKey: string }) {
  const { terminals, shells } = page.state;
  const active = terminals.find((x) => x.id === page.activeTerminal) ?? terminals[0];
  useEffect(() => { if (active && active.id !== page.activeTerminal) page.useTerminal(active.id); }, [active?.id]);
  const add = (shell: string) => page.attempt(api.openTerminal(shell, null, 80, 24).then((x) => page.useTerminal(x.id)));
  return (
    <section class="terminal" aria-label={t("terminal")}>
      <div class="tabs" role="tablist">
        {terminals.map((x) => (
          <span class="tab" key={x.id}>
            <button role="tab" aria-selected={x.id === active?.id} onClick={() => page.useTerminal(x.id)}>{x.shell}</button>
            <button class="plain" aria-label={`${t("closeTerminal")} ${x.shell}`} onClick={() => page.attempt(api.closeTerminal(x.id))}>×</button>
          </span>))}
        {shells.map((shell) => <button class="plain" onClick={() => add(shell)}>{t("newTerminal", { shell })}</button>)}
        <button class="plain end" onClick={() => page.showTerminal(false)}>{t("close")}</button>
      </div>
      <p class="quiet">{t("terminalHelp")}</p>
      {active && <Tab key={active.id} terminal={active} pageKey={pageKey} />}
    </section>
  );
}

function Tab({ terminal, pageKey }: { terminal: Terminal; pageKey: string }) {
  const box = useRef<HTMLDivElement>(null);
  const screen = useRef<Screen | null>(null);
  const [ended, setEnded] = useState(terminal.ended);
  const [find, setFind] = useState("");
  useEffect(() => {
    let gone = false;
    void import("./screen").then(({ openScreen }) => {
      if (!gone && box.current) screen.current = openScreen(box.current, terminal.id, pageKey, setEnded);
    });
    return () => { gone = true; screen.current?.close(); };
  }, [terminal.id]);
  return (
    <>
      <form class="line find" role="search" onSubmit={(e) => { e.preventDefault(); screen.current?.find(find); }}>
        <input aria-label={t("findInTerminal")} placeholder={t("findInTerminal")} value={find} onInput={(e) => setFind(e.currentTarget.value)} />
      </form>
      <div ref={box} class="screen" />
      {ended !== null && <p role="status">{t("terminalEnded", { code: ended })}</p>}
    </>
  );
}
