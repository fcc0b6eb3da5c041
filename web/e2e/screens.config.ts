// Makes the pictures of README and docs from the real page: npm run screens
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["e2e/screens.ts"], fileParallelism: false, testTimeout: 120_000, hookTimeout: 90_000 },
});
