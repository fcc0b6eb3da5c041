// Start: signs in with the one-time code of the address, loads the state, stays connected.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "./api";
import { App } from "./app";
import { connect, type Live } from "./live";
import type { Page, Where } from "./page";
import { dismissed, empty, loaded, reduced, waiting } from "./state";
import { speak, t } from "./text";
import "./style.css";

/** Unanswered this long, an ask may call: a notification with no approving button. */
const NOTIFY_MS = 6000;

function takeCode(): string | null {
  const code = /^#c=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  // Out of the address bar and the history at once; it works only once anyway.
  if (code !== null) history.replaceState(null, "", "/");
  return code;
}

function Root() {
  const [state, setState] = useState(empty);
  const [now, setNow] = useState(Date.now());
  const [where, setWhere] = useState<Where>({ view: "boards" });
  const [failure, setFailure] = useState<api.Failure | null>(null);
  const [key, setKey] = useState("");
  const [terminalOpen, showTerminal] = useState(false);
  const [activeTerminal, useTerminal] = useState<string | null>(null);
  const live = useRef<Live | null>(null);

  speak(state.settings?.language ?? "auto", navigator.language);

  const load = async () => {
    const snapshot = await api.state();
    setState((s) => loaded(s, snapshot, Date.now()));
    const { entries } = await api.journal({});
    setState((s) => entries.reduceRight((sum, entry) => reduced(sum, { type: "entry", entry }, Date.now()), s));
  };

  useEffect(() => {
    void (async () => {
      try {
        const pageKey = await api.signIn(takeCode());
        setKey(pageKey);
        await load();
        live.current = connect(pageKey, (event) => {
          if (event.type === "resync" || event.type === "welcome") void load().catch(setFailure);
          setState((s) => reduced(s, event, Date.now()));
        }, () => setState((s) => ({ ...s, connected: false, window: null })));
      } catch (error) {
        // Not signed in is the ordinary first sight of the page, not a failure.
        if (error instanceof api.Failure && error.status !== 401) setFailure(error);
      }
    })();
  }, []);

  useEffect(() => {
    const clock = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(clock);
  }, []);

  const oldest = waiting(state)[0];
  useEffect(() => {
    if (!oldest || !("Notification" in window) || Notification.permission !== "granted") return undefined;
    const timer = setTimeout(() => {
      const note = new Notification(t("notifyTitle"), { body: `${oldest.bubble_name} · ${oldest.loop_name}`, tag: oldest.id });
      note.onclick = () => { window.focus(); note.close(); };
    }, NOTIFY_MS);
    return () => clearTimeout(timer);
  }, [oldest?.id]);

  const page: Page = {
    state, now, where, failure, terminalOpen, activeTerminal, showTerminal, useTerminal,
    go: (to) => { setFailure(null); setWhere(to); },
    attempt: (action) => {
      setFailure(null);
      action.catch((error: unknown) => {
        if (error instanceof api.Failure) setFailure(error);
        else setFailure(new api.Failure("page", String(error), 0));
      });
    },
    dismissAsk: (ask) => setState((s) => dismissed(s, ask)),
    shown: (asks) => live.current?.send({ type: "shown", asks }),
    watch: (entries) => live.current?.send({ type: "watch", entries }),
  };
  return <App page={page} pageKey={key} />;
}

const root = document.getElementById("page");
if (root) render(<Root />, root);
