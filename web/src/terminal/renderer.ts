// The quick renderer, where the browser has one to offer. xterm's own stays when there is
// none, and comes back when the browser takes it away (a driver that fails, a tab of many).
import type { Terminal } from "@xterm/xterm";

/** Draws `term` with WebGL if that can be had. */
export async function drawQuickly(term: Terminal): Promise<void> {
  if (!offered()) return;
  const { WebglAddon } = await import("@xterm/addon-webgl");
  if (!term.element?.isConnected) return;
  const webgl = new WebglAddon();
  webgl.onContextLoss(() => webgl.dispose());
  try {
    term.loadAddon(webgl);
  } catch {
    // Offered and then not given: what draws already goes on.
    webgl.dispose();
  }
}

// Asked beforehand, so that a browser without it neither loads the code nor complains.
function offered(): boolean {
  const context = document.createElement("canvas").getContext("webgl2", { failIfMajorPerformanceCaveat: true });
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return context !== null;
}
