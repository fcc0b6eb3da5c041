// How fast the page is on a large board, and how much of it is sent. The figures are
// printed; the bounds are wide because the machine that runs this may do other work.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { open } from "./browser";
import { scene, withBrowser } from "./scene";
import type { World } from "./world";

withBrowser();

const LOOPS = 1000;
const ENTRIES = 100_000;

/** A hundred loops with nine inside each, made known by a person. */
function manyLoops(world: World): void {
  const folders = Array.from({ length: LOOPS }, (_, i) => (i % 10 === 0 ? `many/${i}` : `many/${i - (i % 10)}/${i}`));
  for (const folder of folders) mkdirSync(join(world.project, folder), { recursive: true });
  writeFileSync(join(world.project, "cerco.toml"), folders.map((f, i) => `[[loop]]\nname = "loop ${i}"\nfolder = "${f}"\n`).join("\n"));
  world.cerco("init");
}

/** Entries that were really written, again and again. */
function manyEntries(world: World): void {
  execFileSync("python3", ["-c", `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("""WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ENTRIES})
INSERT INTO entries (time, board, verdict, decision, owner, opening, decided, closing)
SELECT time + n.i, board, verdict, decision, owner, opening, decided, closing
FROM n CROSS JOIN (SELECT * FROM entries ORDER BY seq DESC LIMIT 1)""")
db.commit()
`, join(world.root, "state/cerco/journal.sqlite")]);
}

/** When each request of the page that counts began and ended; what lies after is drawing. */
function stages(): string {
  const named = (entry: PerformanceEntry) => new URL(entry.name).pathname.replace(/-[\w-]+\./, ".");
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")] as PerformanceResourceTiming[];
  return all.filter((entry) => !entry.name.endsWith(".svg"))
    .map((entry) => `${named(entry)} ${entry.startTime.toFixed(0)}-${entry.responseEnd.toFixed(0)}`).join(", ");
}

scene("a board with 1,000 loops and 100,000 entries is there at once", async ({ world, page, browser }) => {
  manyLoops(world);
  await (await world.agent("many/0")).run("echo one of many # a command as long as commands are, with a word or two more");
  await page.goto("about:blank");
  await world.stop();
  manyEntries(world);
  const times: number[] = [];
  const parts: string[] = [];
  const address = await world.start();
  const window = await open(browser, "about:blank");
  await window.page.context().addInitScript(() => {
    const look = new MutationObserver(() => {
      if (!document.querySelector(".log .entry") || !document.querySelector(".tree .loop")) return;
      look.disconnect();
      // After the frame that draws it.
      requestAnimationFrame(() => setTimeout(() => { document.documentElement.dataset.painted = String(performance.now()); }));
    });
    look.observe(document, { childList: true, subtree: true });
  });
  await window.page.goto(address);
  for (let i = 0; i < 5; i += 1) {
    await window.page.locator("html[data-painted]").waitFor({ state: "attached" });
    times.push(Number(await window.page.locator("html").getAttribute("data-painted")));
    parts.push(await window.page.evaluate(stages));
    await window.page.reload();
  }
  console.log(`stages, in milliseconds:\n${parts.join("\n")}`);
  const [first, ...again] = times.map((ms) => ms.toFixed(0));
  console.log(`board with ${LOOPS} loops and ${ENTRIES} entries painted: a browser's first load ${first} ms, loaded again ${again.join(", ")} ms`);
  times.sort((a, b) => a - b);
  expect(times[2], "the median of five").toBeLessThan(2000);
  await window.page.getByLabel("Find a loop").fill("loop 987");
  await window.page.locator(".loop", { hasText: "loop 987" }).waitFor();
  expect(await window.page.locator(".loop").count()).toBe(1);
  expect(window.troubles).toEqual([]);
  await window.page.context().close();
}, { expected: /WebSocket|ERR_CONNECTION_REFUSED|Failed to load resource/ });

test("the page's script is at most 40 KB, compressed, without the terminal", () => {
  const assets = join(import.meta.dirname, "../dist/assets");
  const scripts = readdirSync(assets).filter((name) => name.endsWith(".js") && !/^(screen|addon-webgl)-/.test(name));
  expect(scripts.length).toBeGreaterThan(0);
  const size = gzipSync(readFileSync(join(assets, "../first.js"))).length + scripts.reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name))).length, 0);
  console.log(`script without the terminal: ${(size / 1000).toFixed(1)} KB compressed`);
  expect(size).toBeLessThan(40_000);
});
