// The page against the real gateway in a real browser. One file after the other: the
// machine that runs this may have two cores.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["e2e/**/*.e2e.ts"],
    fileParallelism: false,
    // As for the other tests: one that needs its second try is printed as such.
    retry: 1,
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});
