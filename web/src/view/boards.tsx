// All boards, and every ask of theirs.
import { useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { waiting } from "../state";
import { t } from "../text";
import { Asks } from "./asks";
import { Copyable } from "./copyable";

export function Boards({ page }: { page: Page }) {
  const { boards } = page.state;
  const [project, setProject] = useState("");
  const open = (e: Event) => {
    e.preventDefault();
    page.attempt(api.openBoard(project.trim()).then((board) => page.go({ view: "board", board })));
  };
  const asks = waiting(page.state);
  return (
    <div class="boards">
      <h1>{t("boards")}</h1>
      {page.state.asks.length > 0 && <Asks page={page} first={page.where.view === "boards" ? page.where.ask : undefined} />}
      <ul class="tiles">
        {boards.map((board) => {
          const count = asks.filter((a) => a.board === board.id).length;
          return (
            <li><button class="card tile" onClick={() => page.go({ view: "board", board: board.id })}>
              <span class="tile-name">{board.name}{count > 0 && <span class="count">{count}</span>}
                {board.full_auto.on && <span class="badge warn">{t("fullAuto")}</span>}</span>
              <span class="quiet">{board.project}</span>
              <span class="quiet">{t("loopCount", { count: board.loops.length })}</span>
            </button></li>
          );
        })}
      </ul>
      {boards.length === 0 && <FirstSteps />}
      <form class="line" onSubmit={open}>
        <label class="grows">{t("projectFolder")}<input value={project} required autocomplete="off" spellcheck={false} onInput={(e) => setProject(e.currentTarget.value)} /></label>
        <button>{t("openBoard")}</button>
      </form>
      <p class="quiet">{t("noBoardsHelp")}</p>
    </div>
  );
}

// What a new user sees: the way to the first ask.
function FirstSteps() {
  return (
    <section class="card first" aria-label={t("firstSteps")}>
      <h2>{t("firstSteps")}</h2>
      <ol>
        <li>{t("firstKnown")}<Copyable command="cerco init --loop src" /></li>
        <li>{t("firstAgent")}<Copyable command="cerco hook claude --rewrite install" /></li>
        <li>{t("firstAsk")}</li>
      </ol>
    </section>
  );
}
