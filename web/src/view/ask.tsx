// One ask as a card: everything a person needs to answer, and no way to answer by a slip.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import type { Page } from "../page";
import { left } from "../state";
import { t } from "../text";
import { countdown } from "../time";
import type { AskCard, AskState, Answer } from "../wire";
import { Shown } from "./shown";

/** Without typing for this long, keys may answer: people type when a card pops up. */
const QUIET_MS = 400;
/** A settled card stays this long, so that it can be read. */
const SETTLED_MS = 4000;

let lastKey = 0;
addEventListener("keydown", () => { lastKey = performance.now(); }, { capture: true });
let lastPress = 0;

export function Card({ ask, page, active }: { ask: AskCard; page: Page; active: boolean }) {
  const { state } = page;
  const settled = state.settled[ask.id];
  const [note, setNote] = useState("");
  const [noting, setNoting] = useState(false);
  const [edited, setEdited] = useState<string | null>(null);
  const [explained, setExplained] = useState(false);
  const [kinds, setKinds] = useState(() => ask.kinds.filter((k) => k.grantable).map((k) => k.kind));
  const [message, setMessage] = useState("");
  const [read, setRead] = useState(false);
  const [mine, setMine] = useState(false);
  const card = useRef<HTMLElement>(null);
  const command = useRef<HTMLDivElement>(null);

  // Buttons wait until the end of the command has been on the screen.
  const look = () => {
    const box = command.current;
    if (box && box.scrollTop + box.clientHeight >= box.scrollHeight - 4) setRead(true);
  };
  useEffect(look, [ask.command]);

  useEffect(() => {
    if (!settled) return undefined;
    const timer = setTimeout(() => page.dismissAsk(ask.id), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [settled]);

  const answer = (what: Answer, text: string | null = null) => {
    if (!state.window) return;
    setMine(true);
    page.attempt(
      api.answer(ask.id, {
        answer: what,
        kinds: what === "allow_always" ? kinds : [],
        note: what === "deny" && note.trim() ? note.trim() : null,
        edited: text,
        window: state.window,
      }).then((result) => {
        if (result.result === "too_fast") setMessage(t("tooFast"));
        if (result.result === "edit_refused") {
          setMessage(t("editRefused", { reason: result.findings.map((f) => f.reason).join(" ") }));
        }
        if (result.result === "asked_again") setMessage(t("editAsked"));
        if (result.result === "too_late") setMine(false);
      }),
    );
  };

  const mayAlways = ask.kinds.length > 0 && ask.kinds.every((k) => k.grantable);
  const ready = read && !settled;

  // Keys work on the card in front only, after a quiet moment, and never while typing.
  // Enter does nothing here; Escape closes what is open and never denies.
  useEffect(() => {
    if (!active || settled) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement
        && (event.target.closest("input, textarea, select, .xterm") !== null);
      if (event.key === "Escape") { setEdited(null); setNoting(false); setExplained(false); return; }
      if (typing || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
      const quiet = event.timeStamp - lastPress >= QUIET_MS;
      lastPress = event.timeStamp;
      const act = { a: () => answer("allow_once"), s: () => mayAlways && answer("allow_always"), d: () => answer("deny"),
        e: () => setEdited(ask.text), n: () => setNoting(true), x: () => setExplained(!explained) }[event.key.toLowerCase()];
      if (!act || !quiet) return;
      if ("as".includes(event.key.toLowerCase()) && !ready) { setMessage(t("readToEnd")); return; }
      event.preventDefault();
      act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });

  useEffect(() => {
    // To the card, not to a button: a stray Space or Enter presses nothing.
    if (active && performance.now() - lastKey > QUIET_MS && document.activeElement === document.body) {
      card.current?.focus({ preventScroll: true });
    }
  }, [active]);

  const time = left(state, ask, page.now);
  return (
    <article ref={card} tabIndex={-1} class={`card ask ${active ? "front" : ""} ${settled ? "settled" : ""}`}
      aria-label={t("newAsk", { bubble: ask.bubble_name })}>
      <header>
        <span>{t("cardOf", { bubble: ask.bubble_name, role: ask.role, loop: ask.loop_name, host: ask.host })}</span>
        {!settled && <TimeLeft time={time} page={page} ask={ask} />}
      </header>
      {edited === null ? (
        <div class="text" ref={command} onScroll={look} tabIndex={0}><Shown text={ask.command} /></div>
      ) : (
        <label class="editing">
          {t("edit")}
          <textarea rows={4} value={edited} onInput={(e) => setEdited(e.currentTarget.value)} spellcheck={false} />
          <small>{t("editHelp")}</small>
        </label>
      )}
      <ul class="reasons" aria-label={t("why")}>
        {ask.findings.map((finding) => (
          <li><b>{finding.kind ?? finding.rule}</b> {finding.reason}
            {finding.remedy && <small>{t("remedy", { text: finding.remedy })}</small>}</li>
        ))}
      </ul>
      {ask.programs.length > 1 && (
        <ul class="parts" aria-label={t("parts")}>
          {ask.programs.map((p) => <li class={p.verdict}><code>{p.text}</code> <span>{t(`verdict_${p.verdict}`)}</span></li>)}
        </ul>
      )}
      <p class="quiet">{t("wouldRun", {
        folder: ask.folder,
        sandbox: ask.sandbox.on ? t("sandboxOn") + (ask.sandbox.backend ? ` (${ask.sandbox.backend})` : "") : t("sandboxOff"),
        network: t(({ none: "networkNone", registries_only: "networkRegistries", open: "networkOpen" } as const)[ask.sandbox.network]),
      })}</p>
      {ask.repeats >= 3 && <p class="warn">{t("repeats", { count: ask.repeats })}</p>}
      {explained && <dl class="explain">{ask.explain.map((line) => (
        <><dt>{t(`layer_${line.layer}`)}</dt><dd class={line.verdict}>{line.text}</dd></>))}</dl>}
      {noting && <label>{t("note")}<input value={note} onInput={(e) => setNote(e.currentTarget.value)} maxLength={500} /></label>}
      {mayAlways && ask.kinds.length > 1 && !settled && (
        <fieldset class="kinds"><legend>{t("allowAlways")}</legend>
          {ask.kinds.map(({ kind }) => (
            <label><input type="checkbox" checked={kinds.includes(kind)}
              onChange={(e) => setKinds(e.currentTarget.checked ? [...kinds, kind] : kinds.filter((k) => k !== kind))} />{kind}</label>))}
        </fieldset>
      )}
      {message && <p role="status" class="warn">{message}</p>}
      {settled ? <p role="status">{verdictOf(settled, mine)}</p> : (
        <footer>
          {edited === null ? (
            <>
              <button disabled={!ready} title="A" onClick={() => answer("allow_once")}>{t("allowOnce")}</button>
              {mayAlways && <button disabled={!ready || kinds.length === 0} title="S" onClick={() => answer("allow_always")}>
                {t("allowAlways")}: {kinds.join(", ")}</button>}
            </>
          ) : (
            <>
              <button disabled={edited.trim() === ""} onClick={() => answer("allow_once", edited)}>{t("runEdited")}</button>
              <button class="plain" onClick={() => setEdited(null)}>{t("cancelEdit")}</button>
            </>
          )}
          <button class="deny" title="D" onClick={() => answer("deny")}>{t("deny")}</button>
          <span class="more">
            <button class="plain" title="N" onClick={() => setNoting(!noting)}>{t("note")}</button>
            {edited === null && <button class="plain" title="E" onClick={() => setEdited(ask.text)}>{t("edit")}</button>}
            <button class="plain" title="X" aria-expanded={explained} onClick={() => setExplained(!explained)}>{t("explain")}</button>
          </span>
          {!read && <small role="note">{t("readToEnd")}</small>}
        </footer>
      )}
    </article>
  );
}

function TimeLeft({ time, page, ask }: { time: number; page: Page; ask: AskCard }) {
  const window = page.state.window;
  return (
    <span class={`time ${time < 20_000 ? "warn" : ""}`}>
      <meter min={0} max={Math.max(ask.left_ms, 1)} value={time} aria-hidden="true" />
      {t("timeLeft", { time: countdown(time) })}
      {window && <button class="plain" onClick={() => page.attempt(api.extend(ask.id, window))}>{t("moreTime")}</button>}
    </span>
  );
}

function verdictOf(state: AskState, mine: boolean): string {
  switch (state.state) {
    case "answered": {
      const answer = t(({ allow_once: "allowOnce", allow_always: "allowAlways", deny: "deny" } as const)[state.answer]);
      return t(mine ? "answeredHere" : "answeredElsewhere", { answer });
    }
    case "expired": return t("expired");
    case "withdrawn": return t("withdrawn");
    case "no_window": return t("noWindow");
    case "open": return "";
  }
}

