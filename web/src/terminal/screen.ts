// One terminal on the screen: xterm.js joined to the gateway's PTY. No clipboard, image or
// title add-on: what a program prints can neither reach the clipboard nor open anything.
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal, type ITheme } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import * as api from "../api";
import { t } from "../text";
import type { TerminalEvent, TerminalMessage } from "../wire";
import { obeyPolicy } from "./sheets";

export interface Screen {
  find(text: string): void;
  close(): void;
}

/** Draws the terminal `id` into `box` until closed. */
export function openScreen(box: HTMLElement, id: string, key: string, onEnded: (code: number) => void): Screen {
  obeyPolicy(document);
  const term = new Terminal({
    allowProposedApi: false,
    convertEol: false,
    cursorBlink: false,
    fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
    fontSize: 13,
    linkHandler: { activate: (_, url) => follow(url), allowNonHttpProtocols: false },
    screenReaderMode: matchMedia("(prefers-reduced-motion: reduce)").matches,
    scrollback: 5000,
    theme: colours(),
    windowOptions: {},
  });
  const fit = new FitAddon();
  const search = new SearchAddon();
  term.loadAddon(fit);
  term.loadAddon(search);
  term.loadAddon(new WebLinksAddon((_, url) => follow(url)));
  term.open(box);
  fit.fit();

  const socket = api.socket(`/api/terminals/${encodeURIComponent(id)}/io`);
  socket.binaryType = "arraybuffer";
  const send = (message: TerminalMessage) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  socket.onopen = () => {
    send({ type: "hello", key });
    send({ type: "resize", columns: term.cols, rows: term.rows });
  };
  socket.onmessage = ({ data }) => {
    if (typeof data === "string") {
      const event = JSON.parse(data) as TerminalEvent;
      if (event.type === "ended") onEnded(event.code);
      return;
    }
    const bytes = new Uint8Array(data as ArrayBuffer);
    // Acknowledged when drawn: the gateway pauses the shell meanwhile, so a flood waits
    // for the screen and not in memory.
    term.write(bytes, () => send({ type: "drawn", bytes: bytes.length }));
  };
  term.onData((data) => send({ type: "input", data }));

  let sizing: ReturnType<typeof setTimeout> | undefined;
  const watcher = new ResizeObserver(() => {
    clearTimeout(sizing);
    sizing = setTimeout(() => {
      fit.fit();
      send({ type: "resize", columns: term.cols, rows: term.rows });
    }, 100);
  });
  watcher.observe(box);
  term.focus();

  return {
    find: (text) => { search.findNext(text); },
    close: () => { clearTimeout(sizing); watcher.disconnect(); socket.close(); term.dispose(); },
  };
}

/** The page's own colours, so that the panel is light or dark with it. */
function colours(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return { background: value("--card"), foreground: value("--front"), cursor: value("--front"), selectionBackground: value("--mark") };
}

function follow(url: string): void {
  if (!/^https?:\/\//i.test(url)) return;
  if (confirm(t("openLink", { url }))) open(url, "_blank", "noopener,noreferrer");
}
