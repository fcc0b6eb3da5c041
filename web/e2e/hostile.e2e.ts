// Names and sentences that somebody hostile chose, everywhere the page shows them: they are
// text, and what hides in them is seen.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { accessible } from "./browser";
import { scene, withBrowser } from "./scene";

withBrowser();

const BAD = "<img src=x onerror=document.title='owned'>\u202e\u200bz";
/** What a name in a file may have as well; TOML takes escapes. */
const TOML_BAD = "<img src=x onerror=document.title='owned'>\\u202e\\u200b\\u001b[31mz";

/** Nothing on the screen, in a title or a label hides or acts. */
async function harmless(page: Page, where: string): Promise<void> {
  const found = await page.evaluate(() => {
    const all = [...document.querySelectorAll("body *")];
    const labels = all.flatMap((element) => [...element.attributes].filter(({ name }) => ["aria-label", "title", "alt", "placeholder"].includes(name)).map(({ value }) => value));
    return { images: document.querySelectorAll("img:not([src='/icon.svg'])").length, texts: [document.body.innerText, ...labels] };
  });
  expect(found.images, where).toBe(0);
  for (const text of found.texts) expect(text, where).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u001b\u009b]/u);
  expect(await page.title(), where).not.toContain("owned");
}

scene("names, notes and reasons of anybody's choice are text wherever they are shown", async ({ world, page }) => {
  const project = join(world.root, `p${BAD}`.replaceAll("/", "_"));
  mkdirSync(join(project, "loops/site"), { recursive: true });
  execFileSync("git", ["init", "-q", "."], { cwd: project, env: world.env() });
  writeFileSync(join(project, "cerco.toml"), `[[loop]]\nname = "l${TOML_BAD.replace("\\u001b[31m", "")}"\nfolder = "loops/site"\n`);
  writeFileSync(join(world.root, "config/cerco/cerco.toml"),
    `[[rules]]\nid = "own"\nverdict = "asked"\nprogram = "sort"\nreason = "r${TOML_BAD}"\nremedy = "m${TOML_BAD}"\nmatches = ["sort x"]\nnot = ["ls"]\n`);
  world.cerco("init", "--project", project);
  const agent = await world.agent(join(project, "loops/site"), "Coder", `h${BAD}`, project);
  await page.locator(".tile").waitFor();
  await harmless(page, "boards");
  await page.locator(".tile").click();
  await page.getByRole("heading", { name: "onerror" }).waitFor();
  await page.getByRole("button", { name: "Add a bubble" }).click();
  await page.locator(".loop").getByLabel("Name").fill(`b${BAD}`);
  await page.locator(".loop").getByRole("button", { name: "Add", exact: true }).click();
  await page.locator(".bubble", { hasText: "b<img" }).waitFor();

  const name = `f${BAD}`.replaceAll("'", "");
  const asked = agent.run(`rm -- '${name}' && sort x # ${BAD}`);
  const card = page.locator(".ask");
  await card.getByText("⟦U+202E⟧").first().waitFor();
  await card.getByText("contains hidden characters").waitFor();
  await card.getByRole("button", { name: "Explain" }).click();
  await card.locator(".explain").waitFor();
  await harmless(page, "card");
  await accessible(page);
  await card.getByRole("button", { name: "Note" }).click();
  await page.keyboard.insertText(`n${BAD}`);
  await card.getByRole("button", { name: "Deny" }).click();
  expect(await asked).toMatchObject({ reply: "refused", note: `n${BAD}` });
  await harmless(page, "denied card");

  await agent.ask({ verb: "say", text: `**s${BAD}** \u001b]0;owned\u0007\n\n    ${BAD}` });
  await page.locator(".said").waitFor();
  await page.locator(".entry .row").first().click();
  await page.locator(".story .reasons li").first().waitFor();
  await harmless(page, "log");
  for (const view of ["Journal", "Roles", "Settings"]) {
    await page.getByRole("button", { name: view, exact: true }).click();
    await page.getByRole("heading", { name: view, exact: true }).waitFor();
    if (view === "Settings") await page.getByRole("region", { name: "Custom rules" }).getByText("onerror").first().waitFor();
    await harmless(page, view);
  }
});
