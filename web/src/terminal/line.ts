// The line between a screen and the gateway's PTY: it comes back by itself when it breaks,
// and what was on the screen comes with it.
import * as api from "../api";
import type { TerminalEvent, TerminalMessage } from "../wire";

/** What a line brings to its screen. */
export interface Hears {
  /** From here on comes everything that was drawn before, anew. */
  begin(): void;
  /** Bytes to draw; `drawn` is called when they are. */
  draw(bytes: Uint8Array, drawn: () => void): void;
  ended(code: number): void;
  joined(is: boolean): void;
}

export interface Line {
  send(message: TerminalMessage): void;
  close(): void;
}

const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 5000;

/** Joins the terminal `id` and stays joined until closed. `first` is said on each joining. */
export function join(id: string, key: string, first: () => TerminalMessage, hears: Hears): Line {
  let socket: WebSocket | null = null;
  let wait = FIRST_WAIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = false;

  const send = (to: WebSocket | null, message: TerminalMessage) => {
    if (to?.readyState === WebSocket.OPEN) to.send(JSON.stringify(message));
  };
  const open = () => {
    const own = api.socket(`/api/terminals/${encodeURIComponent(id)}/io`);
    socket = own;
    own.binaryType = "arraybuffer";
    own.onopen = () => {
      send(own, { type: "hello", key });
      send(own, first());
    };
    own.onmessage = ({ data }) => {
      if (typeof data === "string") {
        const event = JSON.parse(data) as TerminalEvent;
        if (event.type === "ended") { over = true; return hears.ended(event.code); }
        wait = FIRST_WAIT_MS;
        hears.begin();
        return hears.joined(true);
      }
      const bytes = new Uint8Array(data as ArrayBuffer);
      // Acknowledged when drawn, to the line that brought it: the gateway pauses the shell
      // meanwhile, so a flood waits for the screen and not in memory.
      hears.draw(bytes, () => send(own, { type: "drawn", bytes: bytes.length }));
    };
    own.onclose = () => {
      if (over) return;
      hears.joined(false);
      timer = setTimeout(open, wait);
      wait = Math.min(wait * 2, LAST_WAIT_MS);
    };
  };

  open();
  return {
    send: (message) => send(socket, message),
    close: () => { over = true; clearTimeout(timer); socket?.close(); },
  };
}
