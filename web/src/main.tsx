// Start: signs in with the one-time code of the address, loads the state, stays connected.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "./api";
import { App } from "./app";
import { connect, type Live } from "./live";
import type { Page } from "./page";
import { fromHash, toHash } from "./route";
import { dismissed, empty, forgotten, loaded, merged, printed, reduced, waiting } from "./state";
import { learn, speak, t } from "./text";
import "./style/base.css";
import "./style/parts.css";
import "./style/ask.css";
import "./style/log.css";
import "./style/panel.css";

/** Unanswered this long, an ask may call: a notification with no approving button. */
const NOTIFY_MS = 6000;

// What is seen first isn't kept waiting by what starts for later. A hidden page draws
// nothing, and waits no longer than this for it.
const PICTURE_MS = 100;
const firstPicture = () => new Promise<void>((drawn) => {
  requestAnimationFrame(() => setTimeout(drawn));
  setTimeout(drawn, PICTURE_MS);
});

function Root() {
  const [state, setState] = useState(empty);
  const [now, setNow] = useState(Date.now());
  const [where, setWhere] = useState(() => fromHash(location.hash));
  const [failure, setFailure] = useState<api.Failure | null>(null);
  const [starting, setStarting] = useState(true);
  const [key, setKey] = useState("");
  const [terminalOpen, showTerminal] = useState(false);
  const [activeTerminal, useTerminal] = useState<string | null>(null);
  const live = useRef<Live | null>(null);

  speak(state.settings?.language ?? "auto", navigator.language);
  const [, redraw] = useState(0);
  useEffect(() => { void learn().then(() => redraw((n) => n + 1)); }, [t("lang")]);

  const fail = (error: unknown) =>
    setFailure(error instanceof api.Failure ? error : new api.Failure("page", String(error), 0));
  const again = () => {
    // A session ends with the gateway: a page that comes back to a new one signs in anew.
    api.state().then((snapshot) => setState((s) => loaded(s, snapshot, Date.now()))).catch((error: unknown) => {
      if (error instanceof api.Failure && error.status === 401) setState((s) => ({ ...s, signedIn: false }));
      else fail(error);
    });
  };

  useEffect(() => {
    const signsIn = window.first?.code != null;
    void (async () => {
      try {
        const signedIn = await api.signIn();
        setKey(signedIn.key);
        const { boards: [only, ...others] } = signedIn.state;
        if (only && others.length === 0 && location.hash === "") setWhere({ view: "board", board: only.id });
        setState((s) => loaded(s, signedIn.state, Date.now()));
        let known: number | null = signedIn.state.event;
        await firstPicture();
        live.current = connect(signedIn.key, {
          event: (event) => {
            setState((s) => reduced(s, event, Date.now()));
            // What happened between the snapshot and here, or was too much to be told.
            if (event.type === "resync" || (event.type === "welcome" && event.event !== known)) again();
          },
          output: (chunks) => setState((s) => printed(s, chunks)),
          lost: () => { known = null; setState((s) => ({ ...s, connected: false, window: null })); },
        });
      } catch (error) {
        // Not signed in is the ordinary first sight of the page, not a failure.
        if (signsIn || !(error instanceof api.Failure && error.status === 401)) fail(error);
      }
      setStarting(false);
    })();
    const clock = setInterval(() => setNow(Date.now()), 1000);
    const moved = () => setWhere(fromHash(location.hash));
    addEventListener("hashchange", moved);
    return () => { clearInterval(clock); removeEventListener("hashchange", moved); };
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
    go: (to) => {
      setFailure(null);
      setWhere(to);
      history.pushState(null, "", toHash(to));
      scrollTo(0, 0);
    },
    attempt: (action) => {
      setFailure(null);
      action.catch(fail);
    },
    dismissFailure: () => setFailure(null),
    dismissAlarms: () => setState((s) => ({ ...s, alarms: [] })),
    dismissAsk: (ask) => setState((s) => dismissed(s, ask)),
    shown: (asks) => live.current?.send({ type: "shown", asks }),
    watch: (entry, on) => {
      live.current?.watch(entry, on);
      if (!on) setState((s) => forgotten(s, entry));
    },
    setImage: (image) => setState((s) => ({ ...s, image })),
    add: (entries) => setState((s) => ({ ...s, entries: merged(s.entries, entries) })),
  };
  if (starting && !state.signedIn) return null;
  return <App page={page} pageKey={key} />;
}

const root = document.getElementById("page");
if (root) render(<Root />, root);
