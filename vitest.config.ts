import { defineConfig } from "vitest/config";

// Tests run on the sources: without the condition they would silently run on an old build.
const conditions = ["@haft/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts", "test/**/*.test.ts"],
    execArgv: ["--conditions=@haft/source"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
