import { expect, test } from "vitest";
import { grouped } from "../src/queue";
import type { AskCard } from "../src/wire";

const ask = (id: string, bubble: string, text: string, folder = "") => ({ id, bubble, text, folder, loop_id: "l", board: "b" }) as AskCard;
const drawn = (asks: AskCard[], settled: string[] = []) =>
  grouped(asks, (a) => settled.includes(a.id)).map((g) => `${g.bubble}: ${g.rows.map((r) => r.asks.map((a) => a.id).join("=")).join(" ")}`);

test.each<[string, AskCard[], string[], string[]]>([
  ["nothing", [], [], []],
  ["bubbles in the order of their oldest ask", [ask("1", "B", "x"), ask("2", "A", "y"), ask("3", "B", "z")], [], ["B: 1 3", "A: 2"]],
  ["the same command in one row", [ask("1", "A", "x"), ask("2", "A", "y"), ask("3", "A", "x")], [], ["A: 1=3 2"]],
  ["never of another bubble", [ask("1", "A", "x"), ask("2", "B", "x")], [], ["A: 1", "B: 2"]],
  ["never in another folder", [ask("1", "A", "x"), ask("2", "A", "x", "sub")], [], ["A: 1 2"]],
  ["never with one that is settled", [ask("1", "A", "x"), ask("2", "A", "x"), ask("3", "A", "x")], ["1"], ["A: 1 2=3"]],
])("the queue holds %s", (_, asks, settled, expected) => {
  expect(drawn(asks, settled)).toEqual(expected);
});
