// What every view gets: the state, and the few things it can do.
import type { Failure } from "./api";
import type { State } from "./state";

export type Where =
  | { view: "boards" }
  | { view: "board"; board: string }
  | { view: "settings" }
  | { view: "journal" }
  | { view: "roles" };

export interface Page {
  state: State;
  /** Our clock, ticking once a second while something counts down. */
  now: number;
  where: Where;
  go(where: Where): void;
  /** Does something and shows its failure where a person sees it. */
  attempt(action: Promise<unknown>): void;
  failure: Failure | null;
  dismissAsk(ask: string): void;
  shown(asks: string[]): void;
  watch(entries: string[]): void;
  terminalOpen: boolean;
  showTerminal(open: boolean): void;
  activeTerminal: string | null;
  useTerminal(terminal: string): void;
}
