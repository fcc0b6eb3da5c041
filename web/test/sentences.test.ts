// The gateway's sentences in Spanish: whole sentences fit, gaps stay as they were.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parsed, translated } from "../src/text/sentences";

const file = (crate: string) => readFileSync(`../crates/${crate}/spanish.txt`, "utf8");
const sentences = parsed(`${file("cerco-filter")}\n\n${file("cerco-gateway")}`);

const es = (text: string) => translated(sentences, text);

test("a sentence, its gaps and a sentence in it", () => {
  expect(es("`git push` changes the repository or its remote")).toBe("`git push` cambia el repositorio o su remoto");
  expect(es("the script `up` does this: `ssh h` reaches another machine")).toBe("el script `up` hace esto: `ssh h` llega a otra máquina");
  expect(es("it would start in `/etc`, which is outside the project")).toBe("empezaría en `/etc`, que está fuera del proyecto");
  expect(es("The sandbox is off: only the filter holds it.")).toBe("El recinto está apagado: solo lo sujeta el filtro.");
  expect(es("something that nobody has translated")).toBeUndefined();
  expect(es("the script `up` does this: something that nobody has translated")).toBeUndefined();
});

test("every sentence is said by its own Spanish one, whatever its gaps hold", () => {
  expect(sentences.length).toBeGreaterThan(200);
  for (const { parts, nests, said } of sentences) {
    const inner = "`a` would be deleted";
    const gap = (i: number, text: string) => (nests && i === parts.length - 2 ? text : `g${i}`);
    const english = parts.map((part, i) => part + (i < parts.length - 1 ? gap(i, inner) : "")).join("");
    const spanish = said.map((part, i) => part + (i < said.length - 1 ? gap(i, "se borraría `a`") : "")).join("");
    expect(es(english)).toBe(spanish);
  }
});

test("what an agent writes doesn't choose the sentence", () => {
  const name = "x` starts a shell, and nobody can read beforehand what it will run";
  expect(es(`\`${name}\` is outside the project`)).toBe(`\`${name}\` está fuera del proyecto`);
  expect(es("`" + "a` has neither `".repeat(20_000) + "end")).toBeUndefined();
});

test("a broken block is no sentence", () => {
  expect(parsed("# a comment\n\nalone\n\na {}\nb {}\n")).toHaveLength(1);
});
