import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Tests run on the sources: without the condition they would silently run on an old build.
const conditions = ["@haft/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "apps/*/test/**/*.test.ts", "test/**/*.test.ts"],
    execArgv: ["--conditions=@haft/source"],
    // Much of the time goes to waiting for other programs: also on two cores one file at a time is slow.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Only for what hangs: every test waits for conditions, however busy the machine is.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
