import { describe, expect, test } from "vitest";
import { dismissed, empty, KEPT_OUTPUT, left, reduced, waiting, type State } from "../src/state";
import type { Event } from "../src/event";
import { fromHash, toHash, type Where } from "../src/route";
import type { AskCard, Entry } from "../src/wire";

const card = (id: string, asked_at: number): AskCard => ({ id, asked_at, left_ms: 10_000 }) as AskCard;
const after = (events: Event[], from: State = empty) => events.reduce((s, e) => reduced(s, e, 1000), from);

describe("asks", () => {
  test("wait oldest first, whatever the order they come in", () => {
    const state = after([{ type: "ask", card: card("b", 2) }, { type: "ask", card: card("a", 1) }]);
    expect(waiting(state).map((a) => a.id)).toEqual(["a", "b"]);
  });
  test("settle once, stay to be read, and go when dismissed", () => {
    const state = after([{ type: "ask", card: card("a", 1) }, { type: "ask_settled", ask: "a", state: { state: "expired" } }]);
    expect(waiting(state)).toEqual([]);
    expect(state.asks).toHaveLength(1);
    expect(dismissed(state, "a").asks).toEqual([]);
  });
  test("count down from their arrival and never below zero", () => {
    const state = after([{ type: "ask", card: card("a", 1) }]);
    expect(left(state, card("a", 1), 4000)).toBe(7000);
    expect(left(state, card("a", 1), 99_000)).toBe(0);
  });
});

describe("output", () => {
  test("of a flood keeps a bounded tail", () => {
    const piece = { text: "x".repeat(50_000) };
    const chunk = { entry: "e", stream: "stdout", offset: 0, skipped: 0, pieces: [piece] };
    const state = after(Array.from({ length: 100 }, () => ({ type: "output", chunk }) as Event));
    const live = state.output.e?.stdout;
    expect(live?.cost).toBeLessThanOrEqual(KEPT_OUTPUT);
    expect(live?.chunks).toHaveLength(1);
  });
});

test("output in many small pieces is bounded as well", () => {
  const pieces = Array.from({ length: 1000 }, () => ({ text: "x" }));
  const chunk = { entry: "e", stream: "stdout", offset: 0, skipped: 0, pieces };
  const state = after(Array.from({ length: 100 }, () => ({ type: "output", chunk }) as Event));
  expect(state.output.e?.stdout.chunks.flatMap((c) => c.pieces).length).toBeLessThan(5000);
});

test("entries stay newest first and are replaced by their id", () => {
  const entry = (id: string, seq: number, verdict = "allowed") => ({ type: "entry", entry: { id, seq, verdict } as Entry }) as Event;
  const state = after([entry("a", 1), entry("b", 2), entry("a", 1, "refused")]);
  expect(state.entries.map((e) => [e.id, e.verdict])).toEqual([["b", "allowed"], ["a", "refused"]]);
});

test.each<[string, Where]>([
  ["#board/my%20shop", { view: "board", board: "my shop" }],
  ["#ask/12", { view: "boards", ask: "12" }],
  ["#journal", { view: "journal" }],
  ["#journal/my%20shop/full_auto", { view: "journal", board: "my shop", source: "full_auto" }],
  ["#journal/%zz/full_auto", { view: "boards" }],
  ["#c=secret", { view: "boards" }],
  ["#board/%zz", { view: "boards" }],
  ["#nothing", { view: "boards" }],
  ["", { view: "boards" }],
])("the address %s", (hash, where) => {
  expect(fromHash(hash)).toEqual(where);
});
test("places come back from their address", () => {
  for (const where of [{ view: "board", board: "a/b #1" }, { view: "settings" }, { view: "boards" }, { view: "journal", board: "a/b #1", source: "grant" }] as Where[]) {
    expect(fromHash(toHash(where))).toEqual(where);
  }
});
