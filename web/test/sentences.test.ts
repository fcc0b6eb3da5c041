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

// The tables as a page loads them: what the gateway and the self-test say fits its own
// sentence, and no general one takes half of a text that isn't its.
test("the real tables say errors and findings in Spanish, and leave the rest alone", () => {
  for (const [english, spanish] of [
    ["there is no such board (any more); load the page again", "ese tablero no existe (o ya no); carga la página de nuevo"],
    ["worked: writing through a hard link", "funcionó: escribir a través de un enlace duro"],
    ["worked: /proc/sys/kernel/core_pattern", "funcionó: /proc/sys/kernel/core_pattern"],
    ["failed (Permission denied (os error 13)): a thread", "falló (Permission denied (os error 13)): un hilo"],
    ["git's folder /p/.git is a symbolic link now; a command may have put it there. Look at it, then put the folder back", "la carpeta de git /p/.git es ahora un enlace simbólico; puede haberlo puesto un comando. Míralo y vuelve a poner la carpeta"],
    ["/x is not in a project that Cerco knows; go to the project's root folder and run: cerco init", "/x no está en un proyecto que Cerco conozca; ve a la carpeta raíz del proyecto y ejecuta: cerco init"],
    ["python inline code", "código de python en el comando"],
    ["delete files", "borrar archivos"],
  ] as const) expect(es(english)).toBe(spanish);
  for (const other of ["git commit", "the thing is broken", "no sentence of ours: writing", "ask"]) {
    expect(es(other)).toBeUndefined();
  }
});
