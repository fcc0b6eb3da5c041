// What the page knows, as one value, and how events change it. Pure: no clock, no
// network, no DOM; tested without any of them.
import type { Event } from "./event";
import type {
  AskCard, AskId, AskState, Board, DockerImage, Entry, EntryId, OutputChunk, Readiness, Role,
  Said, Settings, Snapshot, Stream, Terminal, WindowId,
} from "./wire";

/** How many entries the log of the page keeps; older ones are in the journal. */
export const KEPT_ENTRIES = 1000;
/** How many chat answers of bubbles it keeps. */
export const KEPT_SAID = 200;
/** How much live output of one stream the page keeps: characters, and so many for a piece. */
export const KEPT_OUTPUT = 100_000;
export const COST_OF_PIECE = 20;

/** The newest output of a stream that is watched. */
export interface Live {
  chunks: OutputChunk[];
  cost: number;
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
  /** Entries older than this number come from the journal; nothing: there are none. */
  older: number | null;
  /** What bubbles said, newest first. */
  said: Said[];
  output: Record<EntryId, Record<Stream, Live>>;
  settings: Settings | null;
  readiness: Readiness[];
  /** Nothing until the settings asked for it. */
  image: DockerImage | null;
  roles: Role[];
  terminals: Terminal[];
  shells: string[];
  alarms: { at: number; text: string }[];
}

export const empty: State = {
  signedIn: false, connected: false, window: null, version: "", clock: 0, startedAt: 0,
  boards: [], asks: [], arrived: {}, settled: {}, entries: [], older: null, said: [], output: {}, settings: null,
  readiness: [], image: null, roles: [], terminals: [], shells: [], alarms: [],
};

/** The state after a fresh snapshot. What only this page knows (older entries, output) stays. */
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
    entries: merged(state.entries, snapshot.log.entries),
    older: snapshot.log.next,
    said: snapshot.said.reduceRight(heard, state.said),
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
      return { ...state, entries: merged(state.entries, [event.entry]) };
    case "said":
      return { ...state, said: heard(state.said, event.said) };
    case "output":
      return printed(state, [event.chunk]);
    case "settings_changed":
      return { ...state, settings: event.settings };
    case "readiness_changed":
      return { ...state, readiness: event.readiness };
    case "docker_image_changed":
      return { ...state, image: event.image };
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

/** The log with entries put in, newest first; an entry that is there is replaced. */
export function merged(entries: Entry[], more: Entry[]): Entry[] {
  const news = new Map(more.map((entry) => [entry.id, entry]));
  const kept = entries.map((old) => {
    const entry = news.get(old.id);
    news.delete(old.id);
    return entry ?? old;
  });
  if (news.size === 0) return kept;
  return [...news.values(), ...kept].sort((a, b) => b.seq - a.seq).slice(0, KEPT_ENTRIES);
}

// Newest first; one that is there already stays once.
function heard(said: Said[], more: Said): Said[] {
  return said.some((old) => old.id === more.id) ? said : [more, ...said].sort((a, b) => b.time - a.time).slice(0, KEPT_SAID);
}

/** The state with output put in. */
export function printed(state: State, chunks: OutputChunk[]): State {
  const output = { ...state.output };
  for (const chunk of chunks) {
    const old = output[chunk.entry] ?? { stdout: nothing, stderr: nothing };
    output[chunk.entry] = { ...old, [chunk.stream]: grown(old[chunk.stream], chunk) };
  }
  return { ...state, output };
}

/** The state without the live output of an entry that nobody looks at any more. */
export function forgotten(state: State, entry: EntryId): State {
  const output = { ...state.output };
  delete output[entry];
  return { ...state, output };
}

const nothing: Live = { chunks: [], cost: 0 };

// Keeps the newest chunks: a flood costs the page a bounded amount. What fell out can be
// read from the gateway.
function grown(live: Live, chunk: OutputChunk): Live {
  const chunks = [...live.chunks, chunk];
  let cost = live.cost + costOf(chunk);
  let first = 0;
  for (; cost > KEPT_OUTPUT && first < chunks.length - 1; first += 1) {
    const old = chunks[first];
    if (old) cost -= costOf(old);
  }
  return { chunks: first ? chunks.slice(first) : chunks, cost };
}

function costOf(chunk: OutputChunk): number {
  return chunk.pieces.reduce((sum, piece) => sum + piece.text.length + COST_OF_PIECE, 0);
}
