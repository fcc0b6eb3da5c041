// The frame around the views: where one is, what was lost, what went wrong.
import { useEffect } from "preact/hooks";
import type { Page } from "./page";
import { waiting } from "./state";
import { Panel } from "./terminal/panel";
import { t } from "./text";
import { Board, Boards } from "./view/board";
import { Journal } from "./view/journal";
import { Roles, Settings } from "./view/settings";

export function App({ page, pageKey }: { page: Page; pageKey: string }) {
  const { state, where } = page;
  const count = waiting(state).length;
  useEffect(() => {
    document.title = count > 0 ? `(${count}) ${t("app")}` : t("app");
    document.documentElement.lang = t("lang");
  });
  if (!state.signedIn) return <SignedOut />;
  const tab = (view: "boards" | "journal" | "settings" | "roles", text: string) => (
    <button class="plain" aria-current={where.view === view ? "page" : undefined} onClick={() => page.go({ view })}>{text}</button>
  );
  const board = where.view === "board" ? state.boards.find((b) => b.id === where.board) : undefined;
  return (
    <>
      <a class="skip" href="#asks">{t("skipToAsks")}</a>
      <nav aria-label={t("app")}>
        {tab("boards", t("boards"))}{tab("journal", t("journal"))}{tab("roles", t("roles"))}{tab("settings", t("settings"))}
        {count > 0 && <span class="count" aria-label={t("asks")}>{count}</span>}
        <button class="plain end" aria-expanded={page.terminalOpen} onClick={() => page.showTerminal(!page.terminalOpen)}>{t("terminal")}</button>
      </nav>
      {!state.connected && <p class="banner warn" role="alert">{t("lost")}</p>}
      {page.failure && <p class="banner warn" role="alert">{page.failure.message}</p>}
      {state.alarms.slice(-3).map((alarm) => <p class="banner refused" role="alert">{t("alarm", { text: alarm.text })}</p>)}
      <main>
        {where.view === "boards" && <Boards page={page} />}
        {board && <Board board={board} page={page} />}
        {where.view === "settings" && <Settings page={page} />}
        {where.view === "journal" && <Journal page={page} />}
        {where.view === "roles" && <Roles page={page} />}
      </main>
      {page.terminalOpen && <Panel page={page} pageKey={pageKey} />}
    </>
  );
}

function SignedOut() {
  return (
    <main class="signed-out">
      <h1>{t("signedOutTitle")}</h1>
      <p>{t("signedOutText")}</p>
      <pre tabIndex={0}>cerco open</pre>
    </main>
  );
}
