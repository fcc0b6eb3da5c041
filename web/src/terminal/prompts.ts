// Where the prompts are, by the marks that a shell prints around them (OSC 133), and the
// folder it says it is in (OSC 7). Any program can print these: they are for comfort, to
// jump and to read, and nothing is ever decided by them.
import type { IMarker, Terminal } from "@xterm/xterm";

/** What the marks tell. */
export interface Tells {
  /** There is a prompt to jump to. */
  prompts(): void;
  /** A command ended with this code; nothing: one began. */
  exit(code: number | null): void;
  /** The shell is in this folder, cleaned. */
  folder(path: string): void;
}

export interface Prompts {
  /** Shows the prompt before or after what is at the top of the screen. */
  jump(way: "previous" | "next"): void;
}

/** So many prompts are remembered; older ones scroll away anyway. */
const MOST = 2000;
const MAX_FOLDER = 200;

/** Listens to a terminal's marks. */
export function prompts(term: Terminal, tells: Tells): Prompts {
  let marked: IMarker[] = [];
  let ran = false;
  term.parser.registerOscHandler(133, (data) => {
    const [mark, code] = data.split(";");
    if (mark === "A") {
      const marker = term.registerMarker(0);
      if (marker) marked = [...marked.slice(-MOST), marker];
      tells.prompts();
    } else if (mark === "C") {
      ran = true;
      tells.exit(null);
    } else if (mark === "D" && ran) {
      ran = false;
      if (/^\d{1,3}$/.test(code ?? "")) tells.exit(Number(code));
    }
    return true;
  });
  term.parser.registerOscHandler(7, (data) => {
    const path = folderOf(data);
    if (path !== null) tells.folder(path);
    return true;
  });
  return {
    jump: (way) => {
      marked = marked.filter((marker) => !marker.isDisposed && marker.line >= 0);
      const top = term.buffer.active.viewportY;
      const lines = marked.map((marker) => marker.line);
      const to = way === "previous" ? lines.filter((line) => line < top).pop() : lines.find((line) => line > top);
      if (to !== undefined) term.scrollToLine(to);
      else if (way === "next") term.scrollToBottom();
    },
  };
}

/** The folder of `file://host/path`, with what can't be seen made visible. Pure. */
export function folderOf(data: string): string | null {
  const path = /^file:\/\/[^/]*(\/.*)$/.exec(data)?.[1];
  if (path === undefined) return null;
  const shown = path.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => `⟦U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟧`);
  return shown.length > MAX_FOLDER ? `…${shown.slice(-MAX_FOLDER)}` : shown;
}
