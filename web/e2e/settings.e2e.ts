// Settings and readiness, with and without bubblewrap; Spanish; narrow and dark.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { another, accessible } from "./browser";
import { scene, withBrowser } from "./scene";

withBrowser();

scene("settings are kept", async ({ world, page }) => {
  await page.getByRole("button", { name: "Settings" }).click();
  await page.locator("[data-backend=bubblewrap] .verdict.ready").waitFor();
  await accessible(page);
  await page.getByRole("switch", { name: "Sandbox agent commands" }).check();
  await page.getByLabel("An ask waits (seconds)").fill("45");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  const kept = readFileSync(join(world.root, "config/cerco/config.toml"), "utf8").trim().split("\n");
  expect(kept).toEqual(expect.arrayContaining(["sandbox = true", "ask_seconds = 45"]));
  await page.reload();
  await page.locator("[data-window]").waitFor({ state: "attached" });
  expect(await page.getByLabel("An ask waits (seconds)").inputValue()).toBe("45");
  expect(await page.getByRole("switch", { name: "Sandbox agent commands" }).isChecked()).toBe(true);
});

scene("without bubblewrap the one step is shown, and nothing runs unprotected", async ({ world, page }) => {
  await page.getByRole("button", { name: "Settings" }).click();
  const row = page.locator("[data-backend=bubblewrap]");
  await row.locator(".verdict.blocked, .verdict.missing").waitFor();
  await row.locator(".copyable code", { hasText: "bubblewrap" }).waitFor();
  expect(await row.locator(".step").count()).toBe(1);
  await page.getByRole("switch", { name: "Sandbox agent commands" }).check();
  await page.getByText("every agent command will be refused").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Check again" }).click();
  await page.getByRole("button", { name: "Check again", disabled: false }).waitFor();
  await accessible(page);
  const reply = await (await world.agent()).run("ls");
  expect(reply.reply === "ended" && reply.exit_code === 0).toBe(false);
}, { withoutBubblewrap: true });

const RULE = `[[rules]]
id = "no-apply"
verdict = "refused"
program = "terraform"
words = ["apply"]
reason = "Only the pipeline applies changes."
matches = ["terraform apply"]
not = ["terraform plan"]
`;

scene("custom rules are shown with their file, and what is wrong with it", async ({ world, page }) => {
  const own = join(world.root, "config/cerco/cerco.toml");
  writeFileSync(own, `${RULE}\n[allow]\nkinds = ["git commit"]\n`);
  await page.getByRole("button", { name: "Settings" }).click();
  const rules = page.getByRole("region", { name: "Custom rules" });
  await rules.getByText(own).waitFor();
  await rules.locator("li", { hasText: "terraform apply" }).getByText("refused").waitFor();
  await rules.getByText("Allowed without an ask: git commit").waitFor();
  await accessible(page);
  writeFileSync(own, RULE.replace('"refused"', '"allowed"'));
  await rules.getByRole("button", { name: "Read again" }).click();
  await rules.getByText("Line 3:").waitFor();
  expect(await rules.locator("li").count()).toBe(0);
  // A file that is wrong refuses; it is never taken for no rules.
  expect((await (await world.agent()).run("ls")).reply).not.toBe("ended");
});

scene("Spanish, from the browser and from the setting", async ({ world, page }) => {
  await page.getByRole("button", { name: "Ajustes" }).click();
  expect(await page.locator("html").getAttribute("lang")).toBe("es");
  await accessible(page);
  const asked = (await world.agent()).run("rm old.txt");
  await page.getByRole("button", { name: "1 esperando" }).click();
  await page.locator(".ask").getByRole("button", { name: "Permitir siempre en esta sesión en shop: borrar archivos" }).waitFor();
  // The filter's own words too, and those of the chain behind it.
  await page.locator(".ask .reasons").getByText("se borraría old.txt").waitFor();
  await page.locator(".ask").getByRole("button", { name: "Explicar" }).click();
  await page.locator(".explain").getByText("El recinto está apagado: solo lo sujeta el filtro.").waitFor();
  await page.locator(".ask").getByRole("button", { name: "Denegar" }).click();
  expect(await asked).toMatchObject({ source: "user_reject" });
  await page.getByRole("button", { name: "Ajustes" }).click();
  await page.getByLabel("Idioma").selectOption("en");
  await page.getByRole("button", { name: "Guardar" }).click();
  await page.getByRole("heading", { name: "Settings" }).waitFor();
}, { window: { locale: "es-ES" } });

scene("errors, kinds and answers are Spanish on a Spanish page", async ({ world, page }) => {
  await page.getByLabel("Carpeta del proyecto (ruta absoluta)").fill("/nowhere/at/all");
  await page.getByRole("button", { name: "Abrir un tablero" }).click();
  await page.getByRole("alert").filter({ hasText: "no es una carpeta que se pueda abrir" }).waitFor();
  const agent = await world.agent();
  await page.locator(".tile").click();
  const answered = agent.run("rm old.txt");
  await page.locator(".ask").getByText("borrar archivos").first().waitFor();
  await page.locator(".ask").getByRole("button", { name: "Permitir siempre en esta sesión en shop: borrar archivos" }).click();
  expect(await answered).toMatchObject({ reply: "ended" });
  await page.getByText("Respondido: Permitir siempre").waitFor();
  await page.getByRole("button", { name: "Retirar: borrar archivos" }).waitFor();
  await accessible(page);
}, { window: { locale: "es-ES" }, expected: /Failed to load resource/ });

scene("320 pixels wide and dark, nothing is cut off and everything can be read", async ({ world, page }) => {
  const asked = (await world.agent()).run("git commit --allow-empty -m 'a message that goes on for a while' && rm old.txt");
  await page.locator(".ask").waitFor();
  for (const view of ["Boards", "Journal", "Roles", "Settings"]) {
    await page.getByRole("button", { name: view, exact: true }).click();
    await accessible(page);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wider, `${view} is wider than the window`).toBeLessThanOrEqual(0);
  }
  await page.getByRole("button", { name: "Boards", exact: true }).click();
  await page.locator(".tile").click();
  await page.locator(".loop").first().waitFor();
  await accessible(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await page.locator(".ask").getByRole("button", { name: "Deny" }).click();
  await asked;
}, { window: { viewport: { width: 320, height: 640 }, colorScheme: "dark" } });

scene("loops and bubbles are made and ended on the page; built-in roles are fixed", async ({ world, page }) => {
  mkdirSync(join(world.project, "loops/docs"));
  await page.getByLabel("Project folder (absolute path)").fill(world.project);
  await page.getByRole("button", { name: "Open a board" }).click();
  await page.getByRole("button", { name: "Add a loop" }).click();
  await page.getByLabel("Name").fill("docs");
  await page.getByLabel("Folder in the project").fill("loops/docs");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  const loop = page.locator(".loop", { hasText: "loops/docs" });
  await loop.getByRole("button", { name: "Add a bubble" }).click();
  await loop.getByLabel("Name").fill("Writer");
  await loop.getByLabel("Role").selectOption({ label: "Custom" });
  await loop.getByLabel("write files").check();
  await loop.getByRole("button", { name: "Add", exact: true }).click();
  await loop.getByText("Writer").first().waitFor();
  await accessible(page);
  await loop.getByRole("button", { name: "End: Writer" }).click();
  await loop.locator(".bubble").waitFor({ state: "detached" });
  await loop.getByRole("button", { name: "Remove the loop" }).click();
  await loop.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Roles" }).click();
  const roles = page.locator("tbody tr");
  expect(await roles.allTextContents()).toEqual(expect.arrayContaining([expect.stringContaining("Coder"), expect.stringContaining("Reviewer"), expect.stringContaining("Researcher")]));
  expect(await page.locator("main input, main button").count()).toBe(0);
});

scene("the sandbox is tried on this machine, and each board has a network of its own", async ({ world, page }) => {
  await page.getByRole("button", { name: "Settings" }).click();
  const test = page.getByRole("region", { name: "Self-test" });
  await test.getByRole("button", { name: "Try to get out" }).click();
  await test.getByText(/The sandbox holds: (\d+) of \1 attempts/).waitFor({ timeout: 60_000 });
  await test.getByText("that hold").click();
  await test.getByText("your terminal is out of reach").waitFor();
  await accessible(page);
  const agent = await world.agent();
  const networks = page.getByRole("region", { name: "Network by board" });
  await Promise.all([page.waitForResponse(/\/network$/), networks.getByLabel("shop").selectOption("registries_only")]);
  expect(readFileSync(join(world.root, "config/cerco/projects.toml"), "utf8")).toContain("registries_only");
  await page.reload();
  await page.locator("[data-window]").waitFor({ state: "attached" });
  expect(await networks.getByLabel("shop").inputValue()).toBe("registries_only");
  const asked = agent.run("rm old.txt");
  await page.getByRole("button", { name: "1 waiting" }).click();
  await page.locator(".ask").getByText("in the sandbox (bubblewrap), package registries only").waitFor();
  await page.locator(".ask").getByRole("button", { name: "Deny" }).click();
  await asked;
}, { settings: "sandbox = true\n" });

scene("a board hides its secret-looking files on its own word, from the next command on", async ({ world, page }) => {
  writeFileSync(join(world.project, "loops/site/.env"), "PORT=1\n");
  writeFileSync(join(world.project, "loops/site/look.sh"), "#!/bin/sh\ntest -s .env\n", { mode: 0o755 });
  const agent = await world.agent();
  const sees = async () => (await agent.run("./look.sh")).exit_code === 0;
  await page.getByRole("button", { name: "Settings" }).click();
  const boards = page.getByRole("region", { name: "Secret-looking files by board" });
  const choose = (what: string) => Promise.all([page.waitForResponse(/\/hide-secrets$/), boards.getByLabel("shop").selectOption(what)]);
  await boards.getByLabel("shop").waitFor();
  await accessible(page);
  expect(await sees()).toBe(true);
  await choose("hidden");
  expect(await sees()).toBe(false);
  await page.reload();
  await page.locator("[data-window]").waitFor({ state: "attached" });
  expect(await boards.getByLabel("shop").inputValue()).toBe("hidden");
  await choose("");
  expect(await sees()).toBe(true);
  await page.getByLabel("Language").selectOption("es");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("region", { name: "Archivos que parecen secretos, por tablero" }).waitFor();
}, { settings: "sandbox = true\n" });

scene("two windows that change different settings both get their way", async ({ world, page, troubles }) => {
  const { page: other } = await another({ page, troubles });
  for (const one of [page, other]) {
    await one.getByRole("button", { name: "Settings" }).click();
    await one.getByLabel("An ask waits (seconds)").waitFor();
  }
  await page.getByLabel("An ask waits (seconds)").fill("77");
  await other.getByLabel("Keep journal entries (days, 0 = for ever)").fill("33");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").waitFor();
  // What the other one was about to change is still there to be saved.
  await other.waitForFunction(() => [...document.querySelectorAll("input")].some((input) => input.value === "77"));
  await other.getByRole("button", { name: "Save" }).click();
  await other.getByText("Saved").waitFor();
  const kept = readFileSync(join(world.root, "config/cerco/config.toml"), "utf8");
  expect(kept).toContain("ask_seconds = 77");
  expect(kept).toContain("retention_days = 33");
});

scene("with the sandbox on, the card says so and the command is held", async ({ world, page }) => {
  writeFileSync(join(world.project, "loops/site/try.sh"), "#!/bin/sh\n! touch ../../escaped\n", { mode: 0o755 });
  const asked = (await world.agent()).run("rm old.txt && ./try.sh");
  await page.locator(".ask").getByText("in the sandbox (bubblewrap), no network").waitFor();
  await page.locator(".ask").getByRole("button", { name: "Allow once" }).click();
  expect(await asked).toMatchObject({ reply: "ended", exit_code: 0, sandboxed: true });
}, { settings: "sandbox = true\n" });

scene("a backend that this Cerco can't use says so, and nothing runs in its name", async ({ world, page }) => {
  await page.getByRole("button", { name: "Settings" }).click();
  const docker = page.locator("[data-backend=docker]");
  await docker.getByText("not available").waitFor();
  await docker.getByText("can't run commands in Docker yet").waitFor();
  expect(await page.getByLabel("Backend").locator("option[value=wsl]").isDisabled()).toBe(true);
  await page.getByText("docker is not ready").waitFor();
  await accessible(page);
  const reply = await (await world.agent()).run("ls");
  expect(reply.reply).toBe("failed");
  expect(JSON.stringify(reply)).toContain("choose bubblewrap");
}, { settings: "sandbox = true\nbackend = \"docker\"\n" });
