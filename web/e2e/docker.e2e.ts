// The Docker image: a dialog with the size, a download of what was measured, and none before.
// The engine is a script of this test's; nothing here says how a real one behaves.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { accessible } from "./browser";
import { scene, withBrowser } from "./scene";
import type { World } from "./world";

withBrowser();

const DIGEST = `sha256:${"ab".repeat(32)}`;
const LAYERS = ["111111111111", "222222222222"];
const manifest = (size: number) => JSON.stringify([
  { Descriptor: { digest: `sha256:${"cd".repeat(32)}`, platform: { os: "linux", architecture: "arm64" } } },
  {
    Descriptor: { digest: DIGEST, platform: { os: "linux", architecture: "amd64" } },
    OCIManifest: { config: { size: 1000 }, layers: LAYERS.map((id, i) => ({ digest: `sha256:${id}${"0".repeat(52)}`, size: size * (i + 1) })) },
  },
]);

/** A `docker` that keeps what it was asked and "has" the image when there is a file. */
function engine(size: number) {
  return (world: World) => {
    const bin = join(world.root, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "manifest.json"), manifest(size));
    writeFileSync(join(bin, "docker"), `#!/bin/sh
cd ${bin} || exit 9
echo "$*" >> asked
case "$1 $2" in
"version "*) [ ! -e stopped ] || { echo "Cannot connect to the Docker daemon at unix:///x." >&2; exit 1; }; echo linux/amd64 ;;
"image inspect") [ -e present ] && echo 3000000 || { echo "Error: No such image: x" >&2; exit 1; } ;;
"manifest inspect") cat manifest.json ;;
"pull "*) echo "$$" > pulling; echo "${LAYERS[0]}: Pull complete"; while [ ! -e go ]; do [ ! -e broken ] || { echo "the disk is full" >&2; exit 1; }; sleep 0.1; done; echo "${LAYERS[1]}: Pull complete"; touch pulled ;;
"tag "*) mv pulled present ;;
*) echo "unknown: $*" >&2; exit 1 ;;
esac
`);
    chmodSync(join(bin, "docker"), 0o755);
    return { PATH: `${bin}:${process.env.PATH ?? ""}` };
  };
}

const asked = (world: World) => readFileSync(join(world.root, "bin/asked"), "utf8").split("\n");
const card = (page: Page, name = "Docker image") => page.getByRole("region", { name });
const set = (world: World, name: string) => writeFileSync(join(world.root, "bin", name), "");

scene("the image comes only after its size was stated and confirmed, and only what was measured", async ({ world, page }) => {
  await page.getByRole("button", { name: "Settings" }).click();
  await card(page).getByText("not downloaded").waitFor();
  await card(page).getByText("The image alone changes nothing").waitFor();
  await accessible(page);
  // By keyboard: the dialog's focus is on Cancel, and Escape and Enter download nothing.
  const begin = card(page).getByRole("button", { name: /Download…/ });
  for (const key of ["Enter", "Escape"]) {
    await begin.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("The download is 3.0 MB.").waitFor();
    await page.getByRole("dialog").getByText(DIGEST).waitFor();
    await accessible(page);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Cancel");
    await page.keyboard.press(key);
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }
  expect(asked(world).filter((line) => line.startsWith("pull"))).toEqual([]);
  await begin.click();
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await card(page).getByText("1.0 MB of 3.0 MB (1 of 2 layers)").waitFor();
  await accessible(page);
  set(world, "go");
  await card(page).getByText("on this machine").waitFor();
  await card(page).getByText("3.0 MB on disk").waitFor();
  expect(asked(world).filter((line) => /^(pull|tag)/.test(line))).toEqual([`pull debian@${DIGEST}`, `tag debian@${DIGEST} debian:stable-slim`]);
}, { environment: engine(1_000_000) });

scene("a download is stopped by a person, and one that fails says why", async ({ world, page }) => {
  await page.getByRole("button", { name: "Settings" }).click();
  const begin = async () => {
    await card(page).getByRole("button", { name: /Download…/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Download", exact: true }).click();
    await expect.poll(() => existsSync(join(world.root, "bin/pulling"))).toBe(true);
  };
  await begin();
  const process = readFileSync(join(world.root, "bin/pulling"), "utf8").trim();
  await card(page).getByRole("button", { name: "Stop" }).click();
  await card(page).getByText("the download was stopped").waitFor();
  await expect.poll(() => existsSync(`/proc/${process}`)).toBe(false);
  set(world, "broken");
  await begin();
  await card(page).getByText("the disk is full").waitFor();
  expect(asked(world).some((line) => line.startsWith("tag"))).toBe(false);
}, { environment: engine(1000) });

scene("a size that nobody tells is said to be unknown; another digest than the measured is refused", async ({ world, page }) => {
  await page.getByRole("button", { name: "Ajustes" }).click();
  const es = card(page, "Imagen de Docker");
  await es.getByRole("button", { name: /Descargar…/ }).click();
  await page.getByRole("dialog", { name: "¿Descargar debian:stable-slim?" }).getByText("El registro no dice cuánto ocupa la descarga.").waitFor();
  await page.route("**/api/docker/image/download", (route) => route.continue({ postData: JSON.stringify({ digest: `sha256:${"ef".repeat(32)}` }) }));
  await page.getByRole("dialog").getByRole("button", { name: "Descargar" }).click();
  await page.getByRole("alert").filter({ hasText: "esta no es la imagen cuyo tamaño se dijo" }).waitFor();
  expect(asked(world).some((line) => line.startsWith("pull"))).toBe(false);
  set(world, "stopped");
  await es.getByRole("button", { name: "Buscarla" }).click();
  await es.getByText("Docker está instalado, pero no en marcha").waitFor();
  await accessible(page);
}, { environment: engine(0), window: { locale: "es-ES", viewport: { width: 320, height: 640 } }, expected: /Failed to load resource/ });

scene("with Docker as the backend nothing runs, with the image and without it", async ({ world }) => {
  const agent = await world.agent();
  for (const name of ["", "present"]) {
    if (name) set(world, name);
    const proof = join(world.project, "loops/site/ran");
    expect(JSON.stringify(await agent.run("touch ran"))).toContain("can't run commands in Docker yet");
    expect(existsSync(proof)).toBe(false);
  }
  expect(existsSync(join(world.root, "bin/asked")) ? asked(world).some((line) => line.startsWith("run")) : false).toBe(false);
}, { environment: engine(1000), settings: 'sandbox = true\nbackend = "docker"\n' });
