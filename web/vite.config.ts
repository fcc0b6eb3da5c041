// The page is served from the binary under a strict policy: every script and style is a
// file of its own, nothing is inlined, and the terminal is a chunk that loads only when
// the panel opens.
import { defineConfig } from "vite";

export default defineConfig({
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
});
