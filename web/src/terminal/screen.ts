// One terminal on the screen: xterm.js joined to the gateway's PTY. No clipboard, image or
// title add-on: what a program prints can neither reach the clipboard nor open anything.
import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { Terminal, type ITheme } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { t } from "../text";
import { join } from "./line";
import { prompts, type Tells as Marks } from "./prompts";
import { drawQuickly } from "./renderer";
import { obeyPolicy } from "./sheets";

export interface Screen {
  /** Goes to the next or previous place of a text; whether there is one. */
  find(text: string, way: "next" | "previous"): boolean;
  /** Shows the prompt before or after what is at the top. */
  jump(way: "next" | "previous"): void;
  /** Whether what is drawn is told to a screen reader as well. */
  read(aloud: boolean): void;
  close(): void;
}

/** What a screen tells the panel around it. */
export interface Tells extends Marks {
  ended(code: number): void;
  joined(is: boolean): void;
}

/** Draws the terminal `id` into `box` until closed. */
export function openScreen(box: HTMLElement, id: string, key: string, tells: Tells): Screen {
  obeyPolicy(document);
  const term = new Terminal({
    allowProposedApi: false,
    convertEol: false,
    cursorBlink: false,
    fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
    fontSize: 13,
    linkHandler: { activate: (_, url) => follow(url), allowNonHttpProtocols: false },
    screenReaderMode: isReadAloud(),
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

  const size = () => ({ type: "resize" as const, columns: term.cols, rows: term.rows });
  const line = join(id, key, size, {
    // In its place among what is written: what is still to be drawn of before goes with it.
    begin: () => term.write("\x1bc"),
    draw: (bytes, drawn) => term.write(bytes, drawn),
    ended: tells.ended,
    joined: tells.joined,
  });
  const marks = prompts(term, tells);
  term.attachCustomKeyEventHandler((event) => {
    const way = event.ctrlKey && event.shiftKey && !event.altKey && !event.metaKey ? WAYS[event.key] : undefined;
    if (way === undefined) return true;
    if (event.type === "keydown") marks.jump(way);
    event.preventDefault();
    return false;
  });
  term.onData((data) => line.send({ type: "input", data }));

  let sizing: ReturnType<typeof setTimeout> | undefined;
  const watcher = new ResizeObserver(() => {
    clearTimeout(sizing);
    sizing = setTimeout(() => {
      fit.fit();
      line.send(size());
    }, 100);
  });
  watcher.observe(box);
  term.focus();
  void drawQuickly(term);

  return {
    find: (text, way) => (way === "next" ? search.findNext(text) : search.findPrevious(text)),
    jump: (way) => { marks.jump(way); term.focus(); },
    read: (aloud) => {
      term.options.screenReaderMode = aloud;
      localStorage.setItem(ALOUD, String(aloud));
      term.focus();
    },
    close: () => { clearTimeout(sizing); watcher.disconnect(); line.close(); term.dispose(); },
  };
}

const WAYS: Record<string, "previous" | "next"> = { ArrowUp: "previous", ArrowDown: "next" };
const ALOUD = "terminal-read-aloud";

/** Whether a person asked for it in this browser. */
export const isReadAloud = () => localStorage.getItem(ALOUD) === "true";

/** The page's own colours, so that the panel is light or dark with it. */
function colours(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  const own = { background: value("--card"), foreground: value("--front"), cursor: value("--front"), cursorAccent: value("--card"), selectionBackground: value("--mark") };
  return matchMedia("(prefers-color-scheme: dark)").matches ? own : { ...own, ...ON_WHITE };
}

// xterm's own sixteen are for a dark ground; on white they can't be read.
const ON_WHITE: ITheme = {
  black: "#17201b", red: "#a1232c", green: "#17694a", yellow: "#7a4b00", blue: "#0b5cad", magenta: "#84469f", cyan: "#0f6672", white: "#56615b",
  brightBlack: "#56615b", brightRed: "#b3261e", brightGreen: "#1a7a3c", brightYellow: "#8a5a00", brightBlue: "#1a64c2", brightMagenta: "#9a3fb5", brightCyan: "#0b7285", brightWhite: "#3d4843",
};

function follow(url: string): void {
  if (!/^https?:\/\//i.test(url)) return;
  if (confirm(t("openLink", { url }))) open(url, "_blank", "noopener,noreferrer");
}
