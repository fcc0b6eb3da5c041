// One ask as a card: everything a person needs to answer, and no way to answer by a slip.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { said, t } from "../text";
import type { Answer, AskCard } from "../wire";
import { About, Explain, TimeLeft } from "./ask-parts";
import { isQuiet, letter } from "./keys";
import { Outcome, useDismissal } from "./settled";
import { Shown } from "./shown";

/** The gateway takes no answer that comes sooner after the card was drawn (UX.md §9 F). */
const READING_MS = 500;

export function Card({ ask, page, answered, same }: { ask: AskCard; page: Page; answered(): void; same: number }) {
  const { state } = page;
  const settled = state.settled[ask.id];
  const [note, setNote] = useState("");
  const [noting, setNoting] = useState(false);
  const [edited, setEdited] = useState<string | null>(null);
  const [explained, setExplained] = useState(false);
  const [kinds, setKinds] = useState(() => ask.kinds.filter((k) => k.grantable).map((k) => k.kind));
  const [message, setMessage] = useState("");
  const [read, setRead] = useState(false);
  const [ripe, setRipe] = useState(false);
  const card = useRef<HTMLElement>(null);
  const command = useRef<HTMLDivElement>(null);

  // Buttons wait until the end of the command has been on the screen.
  const look = () => {
    const box = command.current;
    if (box && box.scrollTop + box.clientHeight >= box.scrollHeight - 4) setRead(true);
  };
  useEffect(look, [ask.command]);
  useEffect(() => {
    const timer = setTimeout(() => setRipe(true), READING_MS);
    return () => clearTimeout(timer);
  }, []);
  useDismissal(page, ask.id);
  // To the card, not to a button: a stray Space or Enter presses nothing.
  useEffect(() => {
    const free = document.activeElement === document.body || document.activeElement?.closest(".asks") !== null;
    if (free && isQuiet()) card.current?.focus({ preventScroll: true });
  }, []);

  const ready = read && ripe && !settled && state.window !== null;
  const mayAlways = ask.kinds.length > 0 && ask.kinds.every((k) => k.grantable);

  const answer = (what: Answer, text: string | null = null) => {
    if (!state.window) return;
    const words = note.trim();
    const sent = api.answer(ask.id, {
      answer: what, kinds: what === "allow_always" ? kinds : [],
      note: what === "deny" && words ? words : null, edited: text, window: state.window,
    });
    page.attempt(sent.then((result) => {
      if (result.result === "too_fast") setMessage(t("tooFast"));
      if (result.result === "edit_refused") {
        setMessage(t("editRefused", { reason: result.findings.map((f) => said(f.reason)).join(" ") }));
      }
      if (result.result === "settled" || result.result === "asked_again") answered();
    }));
  };

  // Enter does nothing here; Escape closes what is open and never denies.
  useEffect(() => {
    if (settled) return undefined;
    const close = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      setEdited(null); setNoting(false); setExplained(false);
      card.current?.focus({ preventScroll: true });
    };
    const press = (event: KeyboardEvent) => {
      close(event);
      const key = letter(event);
      const allows: Record<string, () => void> = {
        a: () => answer("allow_once"),
        s: () => { if (mayAlways && kinds.length > 0) answer("allow_always"); },
      };
      const others: Record<string, () => void> = {
        d: () => answer("deny"), e: () => setEdited(ask.text), n: () => setNoting(true), x: () => setExplained(!explained),
      };
      if (key === null || edited !== null) return;
      if (key in allows && !ready) setMessage(t(read ? "tooFast" : "readToEnd"));
      else (allows[key] ?? others[key])?.();
      if (key in allows || key in others) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });

  return (
    <article ref={card} tabIndex={-1} class={`card ask ${settled ? "settled" : ""}`} data-ask={ask.id}
      aria-label={t("newAsk", { bubble: ask.bubble_name })}>
      <header>
        <span class="who"><b>{ask.bubble_name}</b> <span class="quiet">{t("cardOf", { role: ask.role, loop: ask.loop_name })}{page.where.view === "boards" && ` · ${boardName(page, ask.board)}`}{ask.host && ` · ${ask.host}`}</span></span>
        {!settled && <TimeLeft page={page} ask={ask} />}
      </header>
      {edited === null
        ? <div class="text" ref={command} onScroll={look} tabIndex={0} role="group" aria-label={t("command")}><Shown text={ask.command} /></div>
        : <Editing text={edited} set={setEdited} />}
      {!settled && <About ask={ask} />}
      {explained && !settled && <Explain ask={ask} />}
      {noting && !settled && <label class="note">{t("note")}<input ref={focused} value={note} onInput={(e) => setNote(e.currentTarget.value)} maxLength={500} /></label>}
      {mayAlways && ask.kinds.length > 1 && !settled && edited === null && (
        <fieldset class="kinds"><legend>{t("alwaysCovers")}</legend>
          {ask.kinds.map(({ kind }) => (
            <label><input type="checkbox" checked={kinds.includes(kind)}
              onChange={(e) => setKinds(e.currentTarget.checked ? [...kinds, kind] : kinds.filter((k) => k !== kind))} />{said(kind)}</label>))}
        </fieldset>
      )}
      {message && !settled && <p role="status" class="warn">{message}</p>}
      {settled ? (
        <Outcome ask={ask} page={page} state={settled} />
      ) : (
        <footer>
          {edited === null ? (
            <>
              <button disabled={!ready} onClick={() => answer("allow_once")}>{t("allowOnce")}<kbd>A</kbd></button>
              {mayAlways && <button disabled={!ready || kinds.length === 0} onClick={() => answer("allow_always")}>
                {t("always", { kinds: kinds.map(said).join(", "), board: boardName(page, ask.board) })}<kbd>S</kbd></button>}
            </>
          ) : (
            <>
              <button disabled={edited.trim() === "" || !ready} onClick={() => answer("allow_once", edited)}>{t("runEdited")}</button>
              <button class="plain" onClick={() => setEdited(null)}>{t("cancelEdit")}</button>
            </>
          )}
          <button class="deny" disabled={!state.window} onClick={() => answer("deny")}>{t("deny")}<kbd>D</kbd></button>
          <span class="more">
            <button class="plain" aria-expanded={noting} onClick={() => setNoting(!noting)}>{t("noteButton")}</button>
            {edited === null && <button class="plain" onClick={() => setEdited(ask.text)}>{t("edit")}</button>}
            <button class="plain" aria-expanded={explained} onClick={() => setExplained(!explained)}>{t("explain")}</button>
          </span>
          {!read && <small role="note">{t("readToEnd")}</small>}
        </footer>
      )}
      {same > 1 && !settled && <p class="quiet">{t("sameAsksHelp", { count: same })}</p>}
      {ask.repeats >= 3 && !settled && <Repeats page={page} ask={ask} note={note} />}
    </article>
  );
}

const boardName = (page: Page, id: string) => page.state.boards.find((b) => b.id === id)?.name ?? id;

const focused = (element: HTMLInputElement | HTMLTextAreaElement | null) => element?.focus();

function Editing({ text, set }: { text: string; set(text: string): void }) {
  return (
    <label class="editing">
      {t("edit")}
      <textarea ref={focused} rows={3} value={text} onInput={(e) => set(e.currentTarget.value)} spellcheck={false} autocomplete="off" />
      <small>{t("editHelp")}</small>
    </label>
  );
}

// An agent that asks for the same again and again is stuck: all its loop can be stopped.
function Repeats({ page, ask, note }: { page: Page; ask: AskCard; note: string }) {
  const window = page.state.window;
  const board = page.state.boards.find((b) => b.id === ask.board);
  const bubbles = board?.loops.find((l) => l.id === ask.loop_id)?.bubbles ?? [];
  const stop = async () => {
    if (!window) return;
    await api.denyAll(ask.loop_id, window, note.trim() || null);
    for (const bubble of bubbles) await api.endBubble(bubble.id);
  };
  return (
    <p class="warn">{t("repeats", { count: ask.repeats })}{" "}
      <button class="deny" onClick={() => page.attempt(stop())}>{t("denyAndStop")}</button></p>
  );
}
