// One test: a world, a signed-in window, and nothing wrong on it at the end.
import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launch, signIn, type Window } from "./browser";
import { World, type WorldOptions } from "./world";

export interface Scene extends Window {
  world: World;
  browser: Browser;
  /** The address that was used up by the sign-in. */
  address: string;
}

export interface Options extends WorldOptions {
  window?: BrowserContextOptions;
  /** What may be on the console, because the test itself brings it about. */
  expected?: RegExp;
}

let browser: Browser;

/** To be called once in each file. */
export function withBrowser(): void {
  beforeAll(async () => { browser = await launch(); });
  afterAll(async () => { await browser.close(); });
}

export function scene(name: string, act: (scene: Scene) => Promise<void>, options: Options = {}): void {
  test(name, async () => {
    const world = new World(options);
    let window: Window | undefined;
    try {
      const address = await world.start();
      window = await signIn(browser, address, options.window);
      await act({ world, browser, address, ...window });
      const troubles = window.troubles.filter((line) => !options.expected?.test(line));
      expect(troubles, "errors on the console of the page").toEqual([]);
    } catch (error) {
      // What a person would have seen says most about what went wrong.
      console.error(await window?.page.locator("body").innerText().catch(() => "(the page is gone)"));
      throw error;
    } finally {
      await window?.page.context().close();
      await world.close();
    }
  });
}
