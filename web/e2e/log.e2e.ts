// The log: what commands print is shown and never acts; floods, search, export, a crash.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { accessible, pause } from "./browser";
import { scene, withBrowser } from "./scene";

withBrowser();

const HOSTILE = [
  "<img src=x onerror=document.title='owned'><script>document.title='owned'</script>",
  "\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007\u001b[2J\u001b[H\u001b[31mred\u001b[0m",
  "bidi \u202etxt.exe\u202c and \u200bzero",
  "\u001b]8;;http://evil.example/\u0007link\u001b]8;;\u0007 \u009b31mC1",
  "\u0000\u0001\u0007nul",
].join("\n");

scene("hostile output is text", async ({ world, page }) => {
  writeFileSync(join(world.project, "loops/site/hostile.txt"), HOSTILE);
  const agent = await world.agent();
  await page.locator(".tile").click();
  await agent.run("cat hostile.txt # <b>bold</b> <img src=x onerror=alert(1)>");
  await page.locator(".entry .row").click();
  const output = page.locator("pre.output");
  await output.waitFor();
  const text = await output.innerText();
  expect(text).toContain("<img src=x onerror");
  expect(text).toContain("⟦U+202E⟧");
  expect(text).not.toContain("\u202e");
  expect(text).not.toContain("\u001b");
  expect(await output.locator("span.fg1").innerText()).toBe("red");
  expect(await page.locator("main img, main script, main a, main b.bold").count()).toBe(0);
  expect(await page.title()).toBe("Cerco");
  expect(await page.locator(".entry .command").first().innerText()).toContain("<b>bold</b>");
  await accessible(page);
});

scene("a line of 10 MB comes in parts", async ({ world, page }) => {
  const agent = await world.agent();
  await page.locator(".tile").click();
  await agent.run("head -c 10000000 /dev/zero | tr '\\0' x");
  await page.locator(".entry .row").click();
  await page.locator("pre.output").waitFor();
  await page.getByText("10.0 MB").waitFor();
  expect((await page.locator("pre.output").innerText()).length).toBeLessThan(100_000);
  await page.getByRole("button", { name: "Load more" }).click();
  await expect.poll(async () => (await page.locator("pre.output").innerText()).length, { timeout: 20_000 }).toBeGreaterThan(100_000);
});

scene("hostile output is text while it comes, also as one line of 10 MB, and in names", async ({ world, page }) => {
  const site = join(world.project, "loops/site");
  const unit = HOSTILE.replaceAll("\n", " ");
  writeFileSync(join(site, "line.txt"), unit.repeat(Math.ceil(10_000_000 / unit.length)));
  writeFileSync(join(site, "pour.sh"), "#!/bin/sh\nwhile [ ! -e stop ]; do cat line.txt; sleep 0.2; done\n", { mode: 0o755 });
  const agent = await world.agent("loops/site", "Coder", "<i>host</i>\u202e\u001b[31m");
  await page.locator(".tile").click();
  const pouring = agent.run("./pour.sh");
  await page.locator(".entry.running .row").click();
  const output = page.locator("pre.output.live");
  await output.getByText("<img src=x").first().waitFor();
  const longest = await pause(page);
  expect(longest).toBeLessThan(2000);
  const text = await output.innerText();
  expect(text).not.toMatch(/[\u001b\u202e\u200b\u009b\u0007]/);
  expect(text).toContain("⟦U+202E⟧");
  expect(await page.locator("main img, main script, main a, main i").count()).toBe(0);
  expect(await page.locator("main").innerText()).not.toMatch(/[\u001b\u202e]/);
  expect(await page.title()).toBe("Cerco");
  await accessible(page);
  writeFileSync(join(site, "stop"), "");
  await pouring;
});

scene("a flood of output doesn't freeze the page, and can be stopped", async ({ world, page }) => {
  writeFileSync(join(world.project, "loops/site/flood.sh"), "#!/bin/sh\nwhile :; do head -c 100000000 /dev/zero | tr '\\0' x | fold -w 120; done\n", { mode: 0o755 });
  const agent = await world.agent();
  await page.locator(".tile").click();
  const flood = agent.run("./flood.sh");
  await page.locator(".entry.running .row").click();
  await page.locator("pre.output.live").waitFor();
  await page.getByText("not shown here").first().waitFor();
  // Frames go on.
  const longest = await pause(page);
  console.log(`longest pause between two frames under a flood: ${longest.toFixed(0)} ms`);
  expect(longest).toBeLessThan(2000);
  const kept = await page.locator("pre.output.live").innerText();
  expect(kept.length).toBeLessThan(400_000);
  await page.getByRole("button", { name: "Stop" }).click();
  expect(await flood).toMatchObject({ reply: "ended", ending: { how: "cancelled" } });
  await page.getByText("cancelled").first().waitFor();
});

scene("output is live, from the first word on", async ({ world, page }) => {
  writeFileSync(join(world.project, "loops/site/slow.sh"), "#!/bin/sh\necho begin\nwhile [ ! -e go ]; do sleep 0.1; done\necho then\nwhile [ ! -e stop ]; do sleep 0.1; done\necho end\n", { mode: 0o755 });
  const agent = await world.agent();
  await page.locator(".tile").click();
  const slow = agent.run("./slow.sh");
  await page.locator(".entry.running .row").click();
  await page.locator("pre.output", { hasText: "begin" }).waitFor();
  writeFileSync(join(world.project, "loops/site/go"), "");
  await page.locator("pre.output", { hasText: /begin\s+then/ }).waitFor();
  writeFileSync(join(world.project, "loops/site/stop"), "");
  await slow;
  await page.locator("pre.output", { hasText: /begin\s+then\s+end/ }).waitFor();
  await page.getByText("exit 0").waitFor();
});

scene("the journal is searched, filtered and exported; it outlives a crash", async ({ world, page }) => {
  const agent = await world.agent();
  await agent.run("echo findable");
  await agent.run("cat .env");
  await page.getByRole("button", { name: "Journal" }).click();
  await expect.poll(() => page.locator(".entry").count(), { timeout: 20_000 }).toBe(2);
  await page.getByLabel(/Words in the command/).fill("finda");
  await page.getByRole("button", { name: "Search" }).click();
  await expect.poll(() => page.locator(".entry").count(), { timeout: 20_000 }).toBe(1);
  await page.getByLabel(/Words in the command/).fill("");
  await page.getByLabel("Verdict").selectOption("refused");
  await page.locator(".entry", { hasText: ".env" }).locator(".row").click();
  await page.getByText("looks like a secret").or(page.locator(".story .reasons li")).first().waitFor();
  await accessible(page);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
  const lines = readFileSync(await file.path(), "utf8").trim().split("\n").map((line) => JSON.parse(line) as unknown);
  expect(lines).toHaveLength(2);

  await world.stop("SIGKILL");
  await page.getByText("The gateway doesn't answer").waitFor();
  const fresh = await world.start();
  await page.goto("about:blank");
  await page.goto(fresh);
  await page.locator("[data-window]").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Journal" }).click();
  await expect.poll(() => page.locator(".entry").count(), { timeout: 20_000 }).toBe(2);
}, { expected: /WebSocket|ERR_CONNECTION_REFUSED|Failed to load resource/ });
