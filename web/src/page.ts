// What every view gets: the state, and the few things it can do.
import type { Failure } from "./api";
import type { Where } from "./route";
import type { State } from "./state";
import type { DockerImage, Entry } from "./wire";

export type { Where };

export interface Page {
  state: State;
  /** Our clock, ticking once a second. */
  now: number;
  where: Where;
  go(where: Where): void;
  /** Does something and shows its failure where a person sees it. */
  attempt(action: Promise<unknown>): void;
  failure: Failure | null;
  dismissFailure(): void;
  dismissAlarms(): void;
  dismissAsk(ask: string): void;
  /** These asks are on the screen. */
  shown(asks: string[]): void;
  /** Takes the live output of a run, or stops to. */
  watch(entry: string, on: boolean): void;
  /** Entries that were read from the journal. */
  add(entries: Entry[]): void;
  /** How the Docker image stands, as it was just looked at. */
  setImage(image: DockerImage): void;
  terminalOpen: boolean;
  showTerminal(open: boolean): void;
  activeTerminal: string | null;
  useTerminal(terminal: string | null): void;
}
