// The person's terminal, and "Run in terminal" with texts that want to run.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { accessible, launch, pause, signIn } from "./browser";
import { scene, withBrowser } from "./scene";
import { World } from "./world";

withBrowser();

const rows = (page: Page) => page.locator(".xterm-rows").innerText();
const shows = (page: Page, text: RegExp | string) => page.locator(".xterm-rows", { hasText: text }).waitFor();

async function openTerminal(page: Page, shell = "bash"): Promise<void> {
  await page.getByRole("button", { name: "Terminal", exact: true }).click();
  await page.getByRole("button", { name: `New ${shell}`, exact: true }).click();
  // Its prompt first: nothing is taken on trust of a shell that was typed into before.
  await shows(page, /[#$]\s/);
  await page.locator(".xterm-helper-textarea").focus();
}

scene("typing, resizing, scrollback, closing; xterm loads only with the panel", async ({ world, page }) => {
  const loaded = () => page.evaluate(() => performance.getEntriesByType("resource").map((r) => r.name).filter((name) => name.includes("screen")).length);
  expect(await loaded()).toBe(0);
  await openTerminal(page);
  expect(await loaded()).toBeGreaterThan(0);
  await page.keyboard.type("echo mar''ker $((6*7))\n");
  await shows(page, "marker 42");
  await page.keyboard.type("printf '\\e[38;2;1;2;3mtrue colour\\e[0m\\n'; while :; do read -rt 1 x && break; stty size; done\n");
  await shows(page, /true colour/);
  const columns = async () => Number(/(\d+) (\d+)\s*$/.exec((await rows(page)).trimEnd())?.[2] ?? 0);
  await expect.poll(columns, { timeout: 20_000 }).toBeGreaterThan(100);
  const before = await columns();
  await page.setViewportSize({ width: 700, height: 800 });
  await expect.poll(columns, { timeout: 20_000 }).toBeLessThan(before);
  await page.keyboard.type("\n");
  await accessible(page);
  // A window that comes back sees what was there.
  await page.reload();
  await page.getByRole("button", { name: "Terminal", exact: true }).click();
  await shows(page, "marker 42");
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type("exit 3\n");
  await page.getByText("The shell ended (3).").waitFor();
  await page.getByRole("button", { name: "Close bash" }).click();
  await page.locator(".xterm-screen").waitFor({ state: "detached" });
  expect(existsSync(world.project)).toBe(true);
});

scene("a line that breaks comes back with what was on the screen, and the shell goes on", async ({ page }) => {
  await page.evaluate(() => {
    const Plain = WebSocket;
    const opened: WebSocket[] = [];
    Object.assign(window, { opened });
    window.WebSocket = class extends Plain {
      constructor(address: string | URL) { super(address); opened.push(this); }
    };
  });
  await openTerminal(page);
  await page.keyboard.type("echo be''fore; n=41\n");
  await shows(page, "before");
  await page.evaluate(() => (window as unknown as { opened: WebSocket[] }).opened.at(-1)?.close());
  await page.getByText("joining again").waitFor();
  await page.getByText("Your own shell.").waitFor();
  await shows(page, "before");
  expect((await rows(page)).match(/^before/gm)).toHaveLength(1);
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type("echo $((n+1)) af''ter\n");
  await shows(page, "42 after");
});

scene("text is found, and a link opens only after its address was confirmed", async ({ page }) => {
  await openTerminal(page);
  await page.keyboard.type("clear; echo needle in a hay''stack; echo http://127.0.0.1:9/x\n");
  await shows(page, "needle in a haystack");
  await page.getByRole("search").getByLabel("Find").fill("haystack");
  await page.keyboard.press("Enter");
  expect(await page.getByText("Not found").count()).toBe(0);
  await page.getByRole("search").getByLabel("Find").fill("not there at all");
  await page.keyboard.press("Enter");
  await page.getByText("Not found").waitFor();
  // The browser's own question: it is dismissed, and nothing opens.
  const line = page.locator(".xterm-rows > div", { hasText: /^http:/ });
  const box = await line.boundingBox();
  if (!box) throw new Error("the line isn't drawn");
  const asked = page.waitForEvent("dialog");
  await page.mouse.move(box.x + 40, box.y + box.height / 2);
  await page.waitForTimeout(300);
  await page.mouse.click(box.x + 40, box.y + box.height / 2);
  expect((await asked).message()).toContain("http://127.0.0.1:9/x");
  expect(page.context().pages()).toHaveLength(1);
}, { expected: /^dialog: Open this address/ });

scene("a flood in the terminal waits for the screen: the page and its keys go on", async ({ world, page }) => {
  await openTerminal(page);
  await page.keyboard.type("yes $(printf '%0100d') | head -c 100000000; echo all''done\n");
  await shows(page, /0{50}/);
  const longest = await pause(page);
  console.log(`longest pause between two frames with a flood in the terminal: ${longest.toFixed(0)} ms`);
  expect(longest).toBeLessThan(2000);
  await page.keyboard.press("Control+c");
  const proof = join(world.project, "stopped");
  await page.keyboard.type(`touch ${proof}\n`);
  await expect.poll(() => existsSync(proof), { timeout: 20_000 }).toBe(true);
  await page.getByRole("button", { name: "Close", exact: true }).click();
});

scene("what agents run can't reach the terminal's door", async ({ world, page }) => {
  await openTerminal(page);
  const agent = await world.agent();
  const reply = await agent.ask({ verb: "insert", terminal: "1", entry: "1" });
  expect(reply.reply).toBe("failed");
});

scene("Run in terminal puts the text on the line and runs nothing, whatever the text is", async ({ world, page }) => {
  const agent = await world.agent();
  await page.locator(".tile").click();
  const proof = join(world.project, "ran");
  const touch = `touch ${proof}`;
  const texts = [
    touch, `${touch}\n`, `${touch}\r`, `${touch}\u000f`, `x\u0003\n${touch}\n`, `\u001b[201~\n${touch}\n`,
    `${touch}\u2028`, `echo 1\n${touch}`, `$(${touch})`, `echo '${"x".repeat(300)}'; ${touch}`,
  ];
  for (const text of texts) await agent.run(`cat .env; ${text}`);
  await openTerminal(page);
  const entries = page.locator(".log > .entry");
  await expect.poll(() => entries.count(), { timeout: 20_000 }).toBe(texts.length);
  const outcomes: string[] = [];
  for (let i = 0; i < texts.length; i += 1) {
    const entry = entries.nth(texts.length - 1 - i);
    await entry.locator(".row").click();
    // A shell that has just begun a line takes a moment until it says so.
    const said = entry.locator(".insert small[role=status], .insert [role=group]").first();
    await expect.poll(async () => {
      await Promise.all([page.waitForResponse(/\/insert$/), entry.getByRole("button", { name: "Run in terminal" }).click()]);
      return said.innerText();
    }, { timeout: 20_000 }).not.toMatch(/no safe way|program runs|several lines/);
    const preview = entry.getByRole("button", { name: "Put it there" });
    if (await preview.isVisible()) await Promise.all([page.waitForResponse(/\/insert$/), preview.click()]);
    await entry.locator(".insert small[role=status]").waitFor();
    outcomes.push(await entry.locator(".insert small[role=status]").innerText());
    await page.locator(".xterm-helper-textarea").focus();
    await page.keyboard.press("Control+c");
    await entry.locator(".row").click();
    expect(existsSync(proof), `ran: ${JSON.stringify(texts[i])}`).toBe(false);
  }
  expect(outcomes.filter((line) => line.includes("Press Enter yourself")).length).toBeGreaterThanOrEqual(4);
  expect(outcomes.filter((line) => line.includes("control characters")).length).toBeGreaterThanOrEqual(5);
  // The proof can be made: a person presses Enter.
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type(`${touch}\n`);
  await expect.poll(() => existsSync(proof), { timeout: 20_000 }).toBe(true);
});

const ANSWER = `I looked. <img src=x onerror=document.title='owned'> **Run** this:

\`\`\`sh
echo from-the-chat
\`\`\`

and never this \u202ehidden\u001b]0;owned\u0007:

\`\`\`
touch PROOF\u0003
\`\`\`
`;

scene("what a bubble says is text, and its code goes to the input line without running", async ({ world, page }) => {
  const agent = await world.agent();
  await page.locator(".tile").click();
  const proof = join(world.project, "ran");
  expect(await agent.ask({ verb: "say", text: ANSWER.replace("PROOF", proof) })).toMatchObject({ reply: "said" });
  const said = page.locator(".said");
  await said.getByText("<img src=x onerror").waitFor();
  expect(await said.locator("img").count()).toBe(0);
  expect(await said.locator("pre").count()).toBe(2);
  expect(await said.locator(".words .bold").allInnerTexts()).toEqual(["Run"]);
  expect(await said.innerText()).toContain("⟦U+202E⟧hidden");
  expect(await said.innerText()).not.toContain("owned\u0007");
  await accessible(page);
  await openTerminal(page);
  const [first, second] = [said.locator(".code-block").nth(0), said.locator(".code-block").nth(1)];
  await expect.poll(async () => {
    await Promise.all([page.waitForResponse(/\/insert$/), first.getByRole("button", { name: "Run in terminal" }).click()]);
    return first.locator("small[role=status]").innerText();
  }, { timeout: 20_000 }).toContain("Press Enter yourself");
  await shows(page, "echo from-the-chat");
  expect(await rows(page)).not.toMatch(/^from-the-chat/m);
  await Promise.all([page.waitForResponse(/\/insert$/), second.getByRole("button", { name: "Run in terminal" }).click()]);
  await second.getByText("control characters").waitFor();
  expect(existsSync(proof)).toBe(false);
  // It is there after a reload, and a person's Enter runs what was put there.
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => rows(page), { timeout: 20_000 }).toMatch(/^from-the-chat/m);
  await page.reload();
  await said.getByText("I looked.").waitFor();
});

scene("an answer that is too long is turned away, and nobody answers an ask by talking", async ({ world, page }) => {
  const agent = await world.agent();
  expect(await agent.ask({ verb: "say", text: "x".repeat(65_537) })).toMatchObject({ reply: "failed" });
  const asked = agent.run("rm old.txt");
  await page.locator(".ask").waitFor();
  await agent.ask({ verb: "say", text: "Allow once" });
  await page.waitForTimeout(700);
  expect(await page.locator(".ask.settled").count()).toBe(0);
  await page.locator(".ask").getByRole("button", { name: "Deny" }).click();
  expect(await asked).toMatchObject({ source: "user_reject" });
});

scene("one goes from prompt to prompt, and sees how the last command ended and where one is", async ({ world, page }) => {
  await openTerminal(page);
  const under = page.locator(".under-tabs");
  await page.keyboard.type("cd /; (exit 3)\n");
  await under.getByText("exit 3").waitFor();
  await under.getByText("/", { exact: true }).waitFor();
  await page.keyboard.type("echo fir''st; seq 200\n");
  await under.getByText("exit 0").waitFor();
  await page.keyboard.press("Control+Shift+ArrowUp");
  await expect.poll(() => rows(page)).toMatch(/^[^\n]*echo fir''st; seq 200\s*\n\s*first/);
  await under.getByRole("button", { name: "Previous prompt" }).click();
  await expect.poll(() => rows(page)).toMatch(/^[^\n]*cd \/; \(exit 3\)|^[^\n]*exit 3/);
  await page.keyboard.press("Control+Shift+ArrowDown");
  await expect.poll(() => rows(page)).toMatch(/^[^\n]*echo fir''st/);
  await page.keyboard.press("Control+Shift+ArrowDown");
  await page.keyboard.press("Control+Shift+ArrowDown");
  await shows(page, /200/);
  // The marks come back with what was drawn, and no program got the variables that make them.
  await page.reload();
  await page.getByRole("button", { name: "Terminal", exact: true }).click();
  await under.getByRole("button", { name: "Previous prompt" }).waitFor();
  await page.locator(".xterm-helper-textarea").focus();
  const proof = join(world.project, "kept-from");
  await page.keyboard.type(`env | grep -c '^PS0=\\|^PROMPT_COMMAND=' > ${proof}\n`);
  await expect.poll(() => existsSync(proof) && readFileSync(proof, "utf8").trim(), { timeout: 20_000 }).toBe("0");
  await accessible(page);
});

scene("what a screen reader needs is switched on in the panel, and stays so", async ({ page }) => {
  await openTerminal(page);
  expect(await page.locator(".xterm-accessibility-tree").count()).toBe(0);
  await page.getByLabel("For screen readers").check();
  await page.keyboard.type("echo rea''d aloud\n");
  await page.locator(".xterm-accessibility-tree", { hasText: "read aloud" }).waitFor();
  await accessible(page);
  await page.reload();
  await page.getByRole("button", { name: "Terminal", exact: true }).click();
  await page.locator(".xterm-accessibility-tree", { hasText: "read aloud" }).waitFor();
});

test("with a graphics card the terminal is drawn by it, and goes on when it is taken away", async () => {
  const world = new World();
  const browser = await launch("with WebGL");
  try {
    const { page, troubles } = await signIn(browser, await world.start());
    // The context of the canvas that draws, to be lost as a driver loses it.
    await page.evaluate(() => {
      const get = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...of: [string]) {
        const context = get.apply(this, of as never);
        if (of[0] === "webgl2") Object.assign(window, { drawing: context });
        return context;
      } as never;
    });
    await page.getByRole("button", { name: "Terminal", exact: true }).click();
    await page.getByRole("button", { name: "New bash", exact: true }).click();
    const canvas = page.locator(".xterm-screen canvas");
    await canvas.first().waitFor();
    await page.locator(".xterm-rows").waitFor({ state: "detached" });
    await page.locator(".xterm-helper-textarea").focus();
    const proof = join(world.project, "drawn");
    await page.keyboard.type(`echo dra''wn > ${proof}; cat ${proof}\n`);
    await expect.poll(() => existsSync(proof), { timeout: 20_000 }).toBe(true);
    await page.evaluate(() => (window as unknown as { drawing: WebGL2RenderingContext }).drawing.getExtension("WEBGL_lose_context")?.loseContext());
    await shows(page, "drawn");
    expect(troubles.filter((line) => !/GPU|GL Driver|WebGL|context lost/i.test(line))).toEqual([]);
  } finally {
    await browser.close();
    await world.close();
  }
});
