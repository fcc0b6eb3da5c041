// An event without its number: what changes the page.
import type { Numbered } from "./wire";

type WithoutNumber<E> = E extends unknown ? Omit<E, "number"> : never;
export type Event = WithoutNumber<Numbered>;
