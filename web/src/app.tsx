// The frame around the views: where one is, what was lost, what went wrong.
import { useEffect } from "preact/hooks";
import type { Page } from "./page";
import { toHash } from "./route";
import { waiting } from "./state";
import { Panel } from "./terminal/panel";
import { said, t } from "./text";
import { Board } from "./view/board";
import { Boards } from "./view/boards";
import { Journal } from "./view/journal";
import { Roles } from "./view/roles";
import { Settings } from "./view/settings";

export function App({ page, pageKey }: { page: Page; pageKey: string }) {
  const { state, where } = page;
  const count = waiting(state).length;
  const title = count > 0 ? `(${count}) ${t("app")}` : t("app");
  useEffect(() => {
    document.title = title;
    document.documentElement.lang = t("lang");
    document.querySelector<HTMLLinkElement>("link[rel=icon]")?.setAttribute("href", count > 0 ? "/icon-asks.svg" : "/icon.svg");
  }, [title, t("lang")]);
  if (!state.signedIn) return <SignedOut page={page} />;
  const tab = (view: "boards" | "journal" | "settings" | "roles", text: string) => (
    <button class="tab" aria-current={where.view === view || (view === "boards" && where.view === "board") ? "page" : undefined}
      onClick={() => page.go({ view })}>{text}</button>
  );
  const board = where.view === "board" ? state.boards.find((b) => b.id === where.board) : undefined;
  return (
    <>
      {state.window !== null && state.connected && <span hidden data-window={state.window} />}
      <a class="skip" href="#asks" onClick={(e) => { e.preventDefault(); document.getElementById("asks")?.focus(); }}>{t("skipToAsks")}</a>
      <nav class="bar" aria-label={t("app")}>
        <img class="brand" src="/icon.svg" alt="" width="22" height="22" />
        {tab("boards", t("boards"))}{tab("journal", t("journal"))}{tab("roles", t("roles"))}{tab("settings", t("settings"))}
        {count > 0 && <button class="waits" onClick={() => page.go({ view: "boards" })}>{t("waits", { count })}</button>}
        <button class="tab end" aria-expanded={page.terminalOpen} onClick={() => page.showTerminal(!page.terminalOpen)}>{t("terminal")}</button>
      </nav>
      {!state.connected && <p class="banner warn" role="alert">{t("lost")}</p>}
      <Troubles page={page} />
      <main>
        {(where.view === "boards" || (where.view === "board" && !board)) && <Boards page={page} />}
        {board && <Board key={board.id} board={board} page={page} />}
        {where.view === "settings" && <Settings page={page} />}
        {where.view === "journal" && <Journal key={toHash(where)} page={page} />}
        {where.view === "roles" && <Roles page={page} />}
      </main>
      {page.terminalOpen && <Panel page={page} pageKey={pageKey} />}
    </>
  );
}

function Troubles({ page }: { page: Page }) {
  const alarms = page.state.alarms.slice(-3);
  return (
    <>
      {page.failure && (
        <p class="banner warn" role="alert">{said(page.failure.message)}
          <button class="plain" onClick={page.dismissFailure}>{t("close")}</button></p>
      )}
      {alarms.map((alarm, i) => (
        <p class="banner refused" role="alert">{t("alarm", { text: said(alarm.text) })}
          {i === alarms.length - 1 && <button class="plain" onClick={page.dismissAlarms}>{t("close")}</button>}</p>
      ))}
    </>
  );
}

function SignedOut({ page }: { page: Page }) {
  return (
    <main class="signed-out">
      <img src="/icon.svg" alt="" width="56" height="56" />
      <h1>{t("signedOutTitle")}</h1>
      <p>{t("signedOutText")}</p>
      <pre tabIndex={0}>cerco open</pre>
      {page.failure && <p class="warn" role="alert">{said(page.failure.message)}</p>}
    </main>
  );
}
