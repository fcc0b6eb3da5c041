// The live connection: events in, heartbeats out. A window counts as present only while
// this is open and beats.
import * as api from "./api";
import type { Event } from "./event";
import type { OutputChunk, WindowMessage } from "./wire";

/** Output is drawn so often at most: a flood takes a few pictures a second, not the page. */
const DRAW_MS = 100;

export interface Live {
  send(message: WindowMessage): void;
  /** Starts or stops taking the output of a run. */
  watch(entry: string, on: boolean): void;
}

export interface Hears {
  event(event: Event): void;
  output(chunks: OutputChunk[]): void;
  lost(): void;
}

/** Connects and stays connected. */
export function connect(key: string, hears: Hears): Live {
  let socket: WebSocket | null = null;
  const beat = new Worker(new URL("./beat.ts", import.meta.url), { type: "module" });
  let wait = 250;
  let printed: OutputChunk[] = [];
  const watched = new Map<string, number>();

  const send = (message: WindowMessage) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const sendWatched = () => send({ type: "watch", entries: [...watched.keys()] });

  const print = (chunk: OutputChunk) => {
    printed.push(chunk);
    if (printed.length > 1) return;
    // A timer and not a frame: frames stop in a hidden tab, and memory would grow there.
    setTimeout(() => {
      const chunks = printed;
      printed = [];
      hears.output(chunks.filter((c) => watched.has(c.entry)));
    }, DRAW_MS);
  };

  const open = () => {
    socket = api.socket("/api/events");
    socket.onopen = () => send({ type: "hello", key });
    socket.onmessage = (message) => {
      const event = JSON.parse(String(message.data)) as Event;
      if (event.type === "output") return print(event.chunk);
      if (event.type === "welcome") {
        wait = 250;
        beat.postMessage(event.beat_ms);
        if (watched.size > 0) sendWatched();
      }
      hears.event(event);
    };
    socket.onclose = () => {
      beat.postMessage(0);
      hears.lost();
      setTimeout(open, wait);
      wait = Math.min(wait * 2, 5000);
    };
  };

  beat.onmessage = () => send({ type: "beat" });
  open();
  return {
    send,
    watch: (entry, on) => {
      const count = (watched.get(entry) ?? 0) + (on ? 1 : -1);
      if (count > 0) watched.set(entry, count);
      else watched.delete(entry);
      sendWatched();
    },
  };
}
