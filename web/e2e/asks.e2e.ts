// Asks: signing in, each answer, several windows, no window, no time, Full Auto, keys.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { accessible, another, open } from "./browser";
import { McpClient } from "./mcp";
import { scene, withBrowser } from "./scene";

withBrowser();

const COMMIT = "git commit -q --allow-empty -m 'from a bubble'";

scene("the link signs one browser in, once", async ({ page, browser, address }) => {
  expect(page.url()).not.toContain("c=");
  const thief = await open(browser, address);
  await thief.page.getByRole("heading", { name: "This page needs your sign-in" }).waitFor();
  expect(await thief.page.locator("[data-window]").count()).toBe(0);
  await accessible(thief.page);
  await thief.page.context().close();
  // A page that is loaded again keeps its session.
  await page.reload();
  await page.locator("[data-window]").waitFor({ state: "attached" });
});

scene("Allow once runs this one", async ({ world, page }) => {
  const agent = await world.agent();
  const ran = agent.run(COMMIT);
  const card = page.locator(".ask");
  await card.waitFor();
  expect(await card.locator("mark.decides").first().textContent()).toContain("git commit");
  expect(await page.title()).toBe("(1) Cerco");
  expect(await page.locator("link[rel=icon]").getAttribute("href")).toBe("/icon-asks.svg");
  await accessible(page);
  await card.getByRole("button", { name: "Allow once" }).click();
  await page.getByText("Answered: Allow once").first().waitFor();
  expect(await ran).toMatchObject({ reply: "ended", exit_code: 0 });
  await page.waitForFunction(() => document.title === "Cerco");
  const again = agent.run(COMMIT);
  await card.getByRole("button", { name: "Deny" }).click();
  expect(await again).toMatchObject({ reply: "refused", source: "user_reject" });
});

scene("Allow always covers exactly what stays ticked, until it is revoked", async ({ world, page }) => {
  const agent = await world.agent();
  await page.locator(".tile").click();
  const both = agent.run(`${COMMIT} && rm old.txt`);
  const card = page.locator(".ask");
  await card.getByLabel("delete files").uncheck();
  const always = card.getByRole("button", { name: "Allow always this session on shop: git commit" });
  expect(await always.textContent()).not.toContain("delete");
  await always.click();
  // Unticked kinds are asked about again; here the command as a whole was allowed once.
  const first = await both;
  expect(first).toMatchObject({ reply: "ended", exit_code: 0 });
  expect(await agent.run(COMMIT)).toMatchObject({ reply: "ended", exit_code: 0 });
  const grants = page.getByRole("region", { name: "Allowed for this session" });
  await grants.getByText("used 1 ×").waitFor();
  expect(await grants.locator("li").count()).toBe(1);
  await grants.getByRole("button", { name: "Revoke: git commit" }).click();
  await grants.getByText("Nothing is allowed").waitFor();
  const later = agent.run(COMMIT);
  await card.getByRole("button", { name: "Deny" }).click();
  expect(await later).toMatchObject({ reply: "refused" });
});

scene("Deny carries a note to the agent", async ({ world, page }) => {
  const ran = (await world.agent()).run(COMMIT);
  const card = page.locator(".ask");
  await card.getByRole("button", { name: "Note" }).click();
  await page.keyboard.type("write a better message");
  await card.getByRole("button", { name: "Deny" }).click();
  expect(await ran).toMatchObject({ reply: "refused", source: "user_reject", note: "write a better message" });
});

scene("an edited command goes through all layers again and is what runs", async ({ world, page }) => {
  const ran = (await world.agent()).run("rm old.txt");
  const card = page.locator(".ask");
  await card.getByRole("button", { name: "Edit before it runs" }).click();
  const text = card.getByRole("textbox");
  expect(await text.inputValue()).toBe("rm old.txt");
  await text.fill("cat .env");
  await card.getByRole("button", { name: "Allow the changed command once" }).click();
  await card.getByText("The changed command is refused").waitFor();
  await text.fill("ls old.txt");
  await card.getByRole("button", { name: "Allow the changed command once" }).click();
  expect(await ran).toMatchObject({ reply: "ended", exit_code: 0, edited: "ls old.txt" });
  expect(existsSync(join(world.project, "loops/site/old.txt"))).toBe(true);
});

scene("in two windows the first answer counts and the other sees it", async ({ world, page, troubles }) => {
  const second = await another({ page, troubles });
  const ran = (await world.agent()).run(COMMIT);
  await second.page.locator(".ask").waitFor();
  await page.locator(".ask").getByRole("button", { name: "Allow once" }).click();
  await second.page.getByText("Answered in another window: Allow once").first().waitFor();
  expect(await ran).toMatchObject({ reply: "ended", exit_code: 0 });
  // Closing one window leaves the other present.
  await second.page.close();
  const next = (await world.agent()).run(COMMIT);
  await page.locator(".ask").getByRole("button", { name: "Deny" }).click();
  expect(await next).toMatchObject({ source: "user_reject" });
});

scene("without a window an ask is refused at once, and the agent is told why", async ({ world, page }) => {
  const agent = await world.agent();
  const open = agent.run(COMMIT);
  await page.locator(".ask").waitFor();
  await page.goto("about:blank");
  expect(await open).toMatchObject({ reply: "refused", source: "no_window" });
  expect(await agent.run(COMMIT)).toMatchObject({ reply: "refused", source: "no_window" });
});

scene("an ask that nobody answers is refused, and its card says so", async ({ world, page }) => {
  const agent = await world.agent();
  const ran = agent.run(COMMIT);
  await page.locator(".tile").click();
  await page.locator(".ask .time.warn").waitFor();
  expect(await ran).toMatchObject({ reply: "refused", source: "timeout" });
  await page.getByText("Refused: nobody answered.").first().waitFor();
  // Who came too late can say so; the agent hears it, and nothing is allowed by it.
  await page.locator(".ask").getByRole("button", { name: "Ask me again" }).click();
  await page.locator(".ask").getByText("you will be asked again").waitFor();
  const next = await agent.run("ls old.txt");
  expect(next).toMatchObject({ reply: "ended", exit_code: 0 });
  expect(JSON.stringify(next)).toContain(`wants to be asked again: ${COMMIT}`);
  expect(JSON.stringify(await agent.run("ls old.txt"))).not.toContain("asked again");
  const second = agent.run(COMMIT);
  await page.getByRole("button", { name: "1 waiting" }).waitFor();
  await page.locator(".ask").getByRole("button", { name: "Deny" }).click();
  expect(await second).toMatchObject({ source: "user_reject" });
  // The answered one goes by itself, the unanswered one stays until it is closed.
  await page.locator(".next").waitFor({ state: "detached" });
  await page.locator(".ask").getByRole("button", { name: "Close" }).click();
  await page.getByText("Nobody asks anything.").waitFor();
}, { settings: "ask_seconds = 10\n" });

scene("Full Auto needs the board's name, says that it is on, and counts", async ({ world, page }) => {
  const agent = await world.agent();
  await page.locator(".tile").click();
  await page.getByRole("button", { name: "Full Auto is off" }).click();
  const on = page.getByRole("button", { name: "Switch on" });
  await page.getByLabel(/Type the board's name/).fill("Shop");
  expect(await on.isDisabled()).toBe(true);
  await page.getByLabel(/Type the board's name/).fill("shop");
  await on.click();
  await page.getByText("Full Auto has been on for").waitFor();
  await accessible(page);
  expect(await agent.run(COMMIT)).toMatchObject({ reply: "ended", exit_code: 0 });
  await page.getByText("1 asks were allowed by it").waitFor();
  expect(await agent.run("git push --force")).toMatchObject({ reply: "refused", source: "rule" });
  // The list is one click away, and has these alone; nobody was asked about them.
  await page.getByText("1 asks were allowed by it").click();
  await expect.poll(() => page.locator(".entry").allInnerTexts(), { timeout: 20_000 }).toEqual([expect.stringContaining("git commit")]);
  await accessible(page);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByText("Asks in the last hour: 0").waitFor();
  await page.goBack();
  expect(await page.getByLabel("Decided").inputValue()).toBe("full_auto");
  await page.goBack();
  await page.getByRole("button", { name: "Switch off" }).click();
  await page.getByRole("button", { name: "Full Auto is off" }).waitFor();
  const asked = agent.run(COMMIT);
  await page.locator(".ask").getByRole("button", { name: "Deny" }).click();
  expect(await asked).toMatchObject({ source: "user_reject" });
});

scene("the keyboard alone is enough, and neither Enter nor a burst of keys answers", async ({ world, page }) => {
  const agent = await world.agent();
  const first = agent.run(COMMIT);
  await page.locator(".ask:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Space");
  // In one go: on a busy machine the browser's own keys could come slowly, as a person's do.
  await page.evaluate(() => {
    for (const key of "qddd") document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  });
  await page.keyboard.press("Escape");
  expect(await page.locator(".ask.settled").count()).toBe(0);
  const quiet = () => page.waitForTimeout(500);
  await quiet();
  await page.keyboard.press("x");
  await page.locator(".explain").waitFor();
  await page.keyboard.press("Escape");
  const second = agent.run("rm old.txt");
  await page.locator(".next").waitFor();
  await quiet();
  await page.keyboard.press("j");
  await page.locator(".ask", { hasText: "rm old.txt" }).waitFor();
  await quiet();
  await page.keyboard.press("n");
  await page.keyboard.type("keep it");
  await page.keyboard.press("Tab");
  await page.locator(".ask").getByRole("button", { name: "Deny" }).focus();
  await page.keyboard.press("Enter");
  expect(await second).toMatchObject({ source: "user_reject", note: "keep it" });
  await page.locator(".ask", { hasText: "git commit" }).waitFor();
  await page.waitForTimeout(600);
  await page.keyboard.press("a");
  expect(await first).toMatchObject({ reply: "ended", exit_code: 0 });
  // The rest of the page, by Tab.
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement !== document.body)).toBe(true);
});

scene("the queue stands by bubble, the same asks in one row, and each is answered by itself", async ({ world, page }) => {
  const agent = await world.agent();
  const other = await world.agent("loops/api", "Reviewer");
  const first = agent.run("rm old.txt");
  await page.locator(".ask").waitFor();
  const others = other.run("git stash");
  await page.getByRole("button", { name: "2 waiting" }).waitFor();
  const twice = [agent.run(COMMIT), agent.run(COMMIT)];
  await page.getByRole("button", { name: "4 waiting" }).waitFor();
  expect(await page.locator(".of-bubble").count()).toBe(2);
  const row = page.locator(".next", { hasText: "2 × the same" });
  await accessible(page);
  await row.click();
  const card = page.locator(".ask", { hasText: "git commit" });
  await card.getByText("asks for this same command 2 ×").waitFor();
  await card.getByRole("button", { name: "Allow once" }).click();
  // One of the two ran, the other still waits.
  expect(await Promise.race(twice)).toMatchObject({ reply: "ended", exit_code: 0 });
  await page.getByRole("button", { name: "3 waiting" }).waitFor();
  await page.locator(".ask, .next", { hasText: "git commit" }).last().waitFor();
  agent.close();
  other.close();
  await page.getByText("The agent took it back.").first().waitFor();
  void first; void others;
});

scene("a queue is denied at once, never allowed at once", async ({ world, page }) => {
  const agent = await world.agent();
  const all = [COMMIT, "rm old.txt", "git stash"].map((command) => agent.run(command));
  await page.getByRole("button", { name: "3 waiting" }).waitFor();
  expect(await page.getByRole("button", { name: /allow all/i }).count()).toBe(0);
  await page.getByRole("button", { name: "Deny all 3 from site" }).click();
  for (const reply of await Promise.all(all)) expect(reply).toMatchObject({ source: "user_reject" });
});

scene("a long command has to be seen to its end, and hidden characters are seen", async ({ world, page }) => {
  const long = `git commit --allow-empty -m '${"a line of it\n".repeat(200)}' && rm 'x\u202ey\u200b'`;
  const ran = (await world.agent()).run(long);
  const card = page.locator(".ask");
  await card.waitFor();
  await page.waitForTimeout(700);
  expect(await card.getByRole("button", { name: "Allow once" }).isDisabled()).toBe(true);
  await card.locator(".text").evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await card.getByRole("button", { name: "Allow once", disabled: false }).waitFor();
  expect(await card.locator(".command .hidden").allTextContents()).toEqual(expect.arrayContaining(["⟦U+202E⟧", "⟦U+200B⟧"]));
  await card.getByText("contains hidden characters").waitFor();
  await card.getByRole("button", { name: "Deny" }).click();
  expect(await ran).toMatchObject({ source: "user_reject" });
});

scene("an MCP client asks, the card appears, and each answer reaches it", async ({ world, page }) => {
  const client = await McpClient.start(world, "loops/site", "Coder");
  try {
    const card = page.locator(".ask");
    const once = client.run(COMMIT);
    await card.getByRole("button", { name: "Allow once" }).click();
    expect(await once).toMatchObject({ isError: false });
    const always = client.run(COMMIT);
    await card.getByRole("button", { name: /Allow always this session on shop: git commit/ }).click();
    expect(await always).toMatchObject({ isError: false });
    expect(await client.run(COMMIT)).toMatchObject({ isError: false });
    const denied = client.run("rm old.txt");
    await card.getByRole("button", { name: "Note" }).click();
    await page.keyboard.type("not this file");
    await card.getByRole("button", { name: "Deny" }).click();
    const said = await denied;
    expect(said.isError).toBe(true);
    expect(said.text).toContain("not this file");
    // A no that came too soon: the client hears that it may ask once more.
    await card.getByRole("button", { name: "Ask me again" }).click();
    await page.getByText("you will be asked again").waitFor();
    expect((await client.run("ls")).text).toContain("wants to be asked again: rm old.txt");
    // What it says in chat stands in the log, and is no answer to anything.
    expect(await client.call("say", { text: "Done.\n```\nls\n```" })).toMatchObject({ isError: false });
    expect(await client.call("say", { text: "Done.", answer: "allow" })).toMatchObject({ isError: true });
    await page.locator(".tile").click();
    await page.locator(".said", { hasText: "Done." }).getByRole("button", { name: "Run in terminal" }).waitFor();
    expect(await page.locator(".said").count()).toBe(1);
  } finally {
    client.close();
  }
});
