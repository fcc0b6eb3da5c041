// What the page knows, as one value, and how events change it. Pure: no clock, no
// network, no DOM; tested without any of them.
import type { Event } from "./event";
import type {
  AskCard, AskId, AskState, Board, Entry, EntryId, OutputChunk, Readiness, Role,
  Settings, Snapshot, Styled, Terminal, WindowId,
} from "./wire";

/** How many entries the log of the page keeps; older ones are in the journal. */
export const KEPT_ENTRIES = 500;
/** How much live output of one run the page keeps, in characters of each stream. */
export const KEPT_OUTPUT = 200_000;

export interface Live {
  pieces: Styled[];
  characters: number;
  skipped: number;
}

export interface State {
  signedIn: boolean;
  connected: boolean;
  window: WindowId | null;
  version: string;
  /** The gateway's clock minus ours, in milliseconds. */
  clock: number;
  startedAt: number;
  boards: Board[];
  asks: AskCard[];
  /** When each card arrived, by our clock: the time left counts from then. */
  arrived: Record<AskId, number>;
  /** Cards settled elsewhere or by the clock, kept on the screen for a moment. */
  settled: Record<AskId, AskState>;
  entries: Entry[];
  output: Record<EntryId, { stdout: Live; stderr: Live }>;
  settings: Settings | null;
  readiness: Readiness[];
  roles: Role[];
  terminals: Terminal[];
  shells: string[];
  alarms: { at: number; text: string }[];
}

export const empty: State = {
  signedIn: false, connected: false, window: null, version: "", clock: 0, startedAt: 0,
  boards: [], asks: [], arrived: {}, settled: {}, entries: [], output: {}, settings: null,
  readiness: [], roles: [], terminals: [], shells: [], alarms: [],
};

/** The state after a fresh snapshot. What only this page knows (entries, output) stays. */
export function loaded(state: State, snapshot: Snapshot, now: number): State {
  const arrived: Record<AskId, number> = {};
  for (const ask of snapshot.asks) arrived[ask.id] = now;
  return {
    ...state,
    signedIn: true,
    version: snapshot.version,
    clock: snapshot.now - now,
    startedAt: snapshot.started_at,
    boards: snapshot.boards,
    asks: snapshot.asks,
    arrived,
    settings: snapshot.settings,
    readiness: snapshot.readiness,
    roles: snapshot.roles,
    terminals: snapshot.terminals,
    shells: snapshot.shells,
  };
}

/** The state after an event. */
export function reduced(state: State, event: Event, now: number): State {
  switch (event.type) {
    case "welcome":
      return { ...state, connected: true, window: event.window };
    case "board_changed":
      return { ...state, boards: replaced(state.boards, event.board) };
    case "board_closed":
      return { ...state, boards: state.boards.filter((b) => b.id !== event.board) };
    case "ask": {
      const settled = { ...state.settled };
      delete settled[event.card.id];
      const asks = replaced(state.asks, event.card).sort((a, b) => a.asked_at - b.asked_at);
      return { ...state, asks, settled, arrived: { ...state.arrived, [event.card.id]: now } };
    }
    case "ask_settled":
      return { ...state, settled: { ...state.settled, [event.ask]: event.state } };
    case "entry":
      return { ...state, entries: withEntry(state.entries, event.entry) };
    case "output":
      return { ...state, output: withOutput(state.output, event.chunk) };
    case "settings_changed":
      return { ...state, settings: event.settings };
    case "readiness_changed":
      return { ...state, readiness: event.readiness };
    case "terminals_changed":
      return { ...state, terminals: event.terminals };
    case "alarm":
      return { ...state, alarms: [...state.alarms, { at: event.at, text: event.text }] };
    case "resync":
    case "goodbye":
      return state;
  }
}

/** The state without a card that was settled and has been seen. */
export function dismissed(state: State, ask: AskId): State {
  const settled = { ...state.settled };
  delete settled[ask];
  return { ...state, asks: state.asks.filter((a) => a.id !== ask), settled };
}

/** The cards that still wait, oldest first. */
export function waiting(state: State): AskCard[] {
  return state.asks.filter((ask) => !(ask.id in state.settled));
}

/** Milliseconds until a card is refused, never below zero. */
export function left(state: State, ask: AskCard, now: number): number {
  return Math.max(0, ask.left_ms - (now - (state.arrived[ask.id] ?? now)));
}

function replaced<T extends { id: string }>(list: T[], item: T): T[] {
  const at = list.findIndex((other) => other.id === item.id);
  return at < 0 ? [...list, item] : list.map((other, i) => (i === at ? item : other));
}

// Newest first, by number; an older state of an entry never replaces a newer one,
// because an ended run can't run again.
function withEntry(entries: Entry[], entry: Entry): Entry[] {
  const at = entries.findIndex((other) => other.id === entry.id);
  if (at >= 0) return entries.map((other, i) => (i === at ? entry : other));
  return [entry, ...entries].sort((a, b) => b.seq - a.seq).slice(0, KEPT_ENTRIES);
}

const nothing: Live = { pieces: [], characters: 0, skipped: 0 };

function withOutput(output: State["output"], chunk: OutputChunk): State["output"] {
  const old = output[chunk.entry] ?? { stdout: nothing, stderr: nothing };
  return { ...output, [chunk.entry]: { ...old, [chunk.stream]: grown(old[chunk.stream], chunk) } };
}

// Keeps the newest characters: a flood costs the page a bounded amount, and what fell out
// is counted and can be read from the gateway.
function grown(live: Live, chunk: OutputChunk): Live {
  const pieces = [...live.pieces, ...chunk.pieces];
  let characters = live.characters;
  for (const piece of chunk.pieces) characters += piece.text.length;
  let skipped = live.skipped + chunk.skipped;
  let first = 0;
  while (characters > KEPT_OUTPUT && first < pieces.length - 1) {
    const length = pieces[first]?.text.length ?? 0;
    characters -= length;
    skipped += length;
    first += 1;
  }
  return { pieces: first ? pieces.slice(first) : pieces, characters, skipped };
}
