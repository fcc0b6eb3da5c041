// Debian's Chromium, and pages that remember everything that went wrong on them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { expect } from "vitest";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
];
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A browser; what a terminal shows is read from the page where nothing draws with WebGL. */
export async function launch(draws: "with WebGL" | "without WebGL" = "without WebGL"): Promise<Browser> {
  const graphics = draws === "with WebGL" ? ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"] : ["--disable-gpu", "--disable-3d-apis"];
  return chromium.launch({ executablePath: CHROMIUM, headless: true, args: [...FLAGS, ...graphics], timeout: 60_000 });
}

/** A page and what went wrong on it. */
export interface Window {
  page: Page;
  troubles: string[];
}

/** Opens the address in a window of its own, without cookies of others. */
export async function open(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<Window> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, locale: "en-GB", ...options });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (line) => { if (["error", "warning"].includes(line.type())) troubles.push(`${line.type()}: ${line.text()}`); });
  page.on("dialog", (dialog) => { troubles.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  await page.goto(address);
  return { page, troubles };
}

/** Opens the address and waits until the page is present as a window. */
export async function signIn(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<Window> {
  const window = await open(browser, address, options);
  await window.page.locator("[data-window]").waitFor({ state: "attached" });
  return window;
}

/** A second window of the same person: the same cookies. */
export async function another(window: Window): Promise<Window> {
  const page = await window.page.context().newPage();
  const troubles = window.troubles;
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (line) => { if (["error", "warning"].includes(line.type())) troubles.push(`${line.type()}: ${line.text()}`); });
  await page.goto(new URL("/", window.page.url()).href);
  await page.locator("[data-window]").waitFor({ state: "attached" });
  return { page, troubles };
}

/** No serious finding of axe on what is on the screen now. */
export async function accessible(page: Page): Promise<void> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const run = (window as unknown as { axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] }> } }).axe;
    const { violations } = await run.run();
    return violations.map((v) => `${v.impact} ${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.html} (${n.failureSummary})`).join(" | ")}`);
  });
  expect(found.filter((line) => /^(serious|critical)/.test(line))).toEqual([]);
}

/** The longest pause between two frames, over two seconds: a frozen page has a long one. */
export function pause(page: Page): Promise<number> {
  return page.evaluate(() => new Promise<number>((done) => {
    const begin = performance.now();
    let last = begin;
    let worst = 0;
    const frame = (now: number) => {
      worst = Math.max(worst, now - last);
      last = now;
      if (now - begin > 2000) done(worst);
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }));
}
