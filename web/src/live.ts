// The live connection: events in, heartbeats out. A window counts as present only while
// this is open and beats.
import * as api from "./api";
import type { Event } from "./event";
import type { WindowMessage } from "./wire";

export interface Live {
  send(message: WindowMessage): void;
}

/** Connects and stays connected; `onEvent` gets every event, `onLost` each loss. */
export function connect(key: string, onEvent: (event: Event) => void, onLost: () => void): Live {
  let socket: WebSocket | null = null;
  const beat = new Worker(new URL("./beat.ts", import.meta.url), { type: "module" });
  let wait = 250;

  const send = (message: WindowMessage) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };

  const open = () => {
    socket = api.socket("/api/events");
    socket.onopen = () => send({ type: "hello", key });
    socket.onmessage = (message) => {
      const event = JSON.parse(String(message.data)) as Event;
      if (event.type === "welcome") {
        wait = 250;
        beat.postMessage(event.beat_ms);
      }
      onEvent(event);
    };
    socket.onclose = () => {
      beat.postMessage(0);
      onLost();
      setTimeout(open, wait);
      wait = Math.min(wait * 2, 5000);
    };
  };

  beat.onmessage = () => send({ type: "beat" });
  open();
  return { send };
}
