// What a card does besides answers: the parts, more time, a call after a while, a way to
// stop an agent that repeats itself; and what people are asked about.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { accessible } from "./browser";
import { scene, withBrowser } from "./scene";
import { CERCO } from "./world";

withBrowser();

scene("the card says which part is the cause, where it would run, and gives more time", async ({ world, page }) => {
  const agent = await world.agent();
  const asked = agent.run("ls && git add -A && rm old.txt");
  const card = page.locator(".ask");
  await card.waitFor();
  expect(await card.locator(".parts li").allInnerTexts()).toEqual([
    expect.stringMatching(/✓\s+ls\s+allowed/), expect.stringMatching(/✓\s+git add -A\s+allowed/), expect.stringMatching(/\?\s+rm old.txt\s+asked/),
  ]);
  await card.getByText("If allowed, it runs in loops/site, without the sandbox, open network").waitFor();
  await card.getByText("Coder in site · shop · test-host").waitFor();
  await card.getByText(/^[12]:\d\d left/).waitFor();
  await card.getByRole("button", { name: "+2 min" }).click();
  await card.getByText(/^3:\d\d left/).waitFor();
  await card.getByRole("button", { name: "Deny" }).click();
  expect(await asked).toMatchObject({ source: "user_reject" });
});

scene("an ask that waits calls once, and its call can't answer", async ({ world, page }) => {
  await page.context().addInitScript(() => {
    const calls: unknown[] = [];
    class Recorded {
      static permission = "granted";
      onclick: (() => void) | null = null;
      constructor(title: string, options: unknown) { calls.push({ title, options }); }
      close(): void {}
    }
    Object.assign(window, { Notification: Recorded, calls });
  });
  await page.reload();
  await page.locator("[data-window]").waitFor({ state: "attached" });
  const asked = (await world.agent()).run("rm old.txt");
  await page.locator(".ask").waitFor();
  const calls = () => page.evaluate(() => (window as unknown as { calls: { title: string; options: object }[] }).calls);
  await page.waitForTimeout(3000);
  expect(await calls()).toEqual([]);
  await expect.poll(async () => (await calls()).length, { timeout: 10_000 }).toBe(1);
  const [call] = await calls();
  expect(call?.title).toBe("Cerco: a command needs your answer");
  expect(call?.options).not.toHaveProperty("actions");
  await page.locator(".ask").getByRole("button", { name: "Deny" }).click();
  await asked;
});

scene("an agent that asks for the same again and again can be stopped, and the settings say what was asked", async ({ world, page }) => {
  const agent = await world.agent();
  await page.locator(".tile").click();
  for (let i = 0; i < 3; i += 1) {
    const asked = agent.run("rm old.txt");
    await page.locator(".ask:not(.settled)").getByRole("button", { name: "Deny" }).click();
    await asked;
  }
  const last = agent.run("rm old.txt");
  await page.getByText("The same command was refused or denied 3 × before.").waitFor();
  await accessible(page);
  const others = page.getByRole("region", { name: "Loops" }).locator(".bubble");
  expect(await others.count()).toBe(1);
  await page.getByRole("button", { name: "Deny and stop the loop" }).click();
  expect(await last).toMatchObject({ reply: "refused" });
  await others.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Settings" }).click();
  const statistics = page.getByRole("region", { name: "What you are asked about" });
  await statistics.getByText("Asks in the last hour: 4").waitFor();
  await statistics.locator("li", { hasText: "delete files" }).getByText("4 ×").waitFor();
});

scene("a new person sees the steps to the first ask", async ({ page }) => {
  const steps = page.getByRole("region", { name: /Three steps/ });
  expect(await steps.getByRole("button", { name: "Copy" }).count()).toBe(2);
  await accessible(page);
});

scene("the steps that a new person sees lead to their first ask", async ({ world, page }) => {
  const commands = await page.getByRole("region", { name: /Three steps/ }).locator("code").allTextContents();
  const project = join(world.root, "mine");
  const env = { ...world.env(), PATH: `${dirname(CERCO)}:${process.env.PATH}` };
  const shell = (command: string, input?: string) => execFileSync("sh", ["-c", command], { cwd: project, env, encoding: "utf8", input });
  mkdirSync(project);
  shell("git init -q .");
  for (const command of commands) shell(command);
  // The host: it asks the hook that was put in, and runs what the hook makes of the command.
  const settings = JSON.parse(readFileSync(join(project, ".claude/settings.local.json"), "utf8")) as { hooks: { PreToolUse: [{ hooks: [{ command: string; args: string[] }] }] } };
  const { command, args } = settings.hooks.PreToolUse[0].hooks[0];
  const wanted = { session_id: "1", cwd: join(project, "src"), permission_mode: "default", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "rm old.txt" }, tool_use_id: "1" };
  const said = JSON.parse(shell([command, ...args].join(" "), JSON.stringify(wanted))) as { hookSpecificOutput: { updatedInput: { command: string } } };
  writeFileSync(join(project, "src/old.txt"), "old\n");
  const host = spawn("node", ["e2e/host.mjs", "sh", "-c", `cd ${project}/src && ${said.hookSpecificOutput.updatedInput.command}`], { env, stdio: ["ignore", "inherit", "inherit"] });
  const ended = new Promise((done) => host.once("exit", done));
  await page.locator(".tile", { hasText: "mine" }).waitFor();
  await page.locator(".ask", { hasText: "rm old.txt" }).getByRole("button", { name: "Allow once" }).click();
  expect(await ended).toBe(0);
  expect(existsSync(join(project, "src/old.txt"))).toBe(false);
});
