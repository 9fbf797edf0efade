import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { compileCache } from "./test/support/compile-cache.ts";
import { PATIENCE_MS } from "./test/support/until.ts";

// Tests run on the sources: without the condition they would silently run on an old build.
const conditions = ["@haft/source"];

// The hundreds of programs that tests start load the same sources: in a third of the time when Node keeps what it made of them.
process.env["NODE_COMPILE_CACHE"] ??= compileCache;

/**
 * Tests by tier, which `HAFT_TIER` names: CONTRIBUTING.md says what belongs to each. All of them where files are named
 * (scripts/test.sh).
 */
const SYSTEM = "**/*.system.*test.ts";
const WORLD = "**/*.world.*test.ts";
const FAST = "packages/{core,policy,commands,adapters,plugin-sdk,guard}/test/**/*.test.ts";
const ALL = ["{packages,apps}/*/test/**/*.test.ts", "test/**/*.test.ts"];
const TIERS: Readonly<Record<string, { include: string[]; exclude: string[] }>> = {
  fast: { include: [FAST], exclude: [SYSTEM, WORLD] },
  test: { include: ALL, exclude: [SYSTEM, WORLD] },
  change: { include: ALL, exclude: [WORLD] },
  all: { include: ALL, exclude: [] },
};
const tier = TIERS[process.env["HAFT_TIER"] ?? "test"];
if (tier === undefined) throw new Error(`HAFT_TIER is one of ${Object.keys(TIERS).join(", ")}`);

/**
 * Files with a process of their own, and why. All others share theirs, one after the other: a file starts half a second of
 * CPU sooner. So each leaves what is the whole process's as it was, which test/support/leaves-as-found.ts looks after.
 */
const alone = [
  // With /, or the folder of Node, as the root of a session: none of its programs is started for as long as the process runs.
  "packages/workspace/test/system/whole-host.system.security.test.ts",
  "packages/workspace/test/system/host-program.system.security.test.ts",
  // Whether namespaces can be made here, and by which program, is asked once in a process.
  "packages/workspace/test/processes/planted-programs.system.security.test.ts",
  "packages/workspace/test/processes/runner-loss.system.test.ts",
  // Nothing of the tools has been loaded before it.
  "packages/tools-fs/test/first-calls.test.ts",
];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ["test/support/build-once.ts"],
    execArgv: ["--conditions=@haft/source"],
    // The sources are loaded by Node itself, as programs load them, from what it keeps compiled: nothing of them is mocked here.
    server: { deps: { external: [/\/packages\/[^/]+\/src\//] } },
    // More than half of the time goes to waiting for other programs: two cores have work for six files at a time.
    maxWorkers: Math.max(6, availableParallelism() - 1),
    // Only for what hangs: every test waits for conditions, however busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // On a busy machine some processes took longer to end than the 10 s there are by default; why was not looked into.
    teardownTimeout: 100_000,
    expect: { poll: { timeout: PATIENCE_MS, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: "alone",
          include: alone,
          exclude: tier.exclude,
          setupFiles: ["test/support/runner-of-the-build.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "shared",
          include: tier.include,
          exclude: ["**/node_modules/**", ...alone, ...tier.exclude],
          isolate: false,
          setupFiles: [
            "test/support/runner-of-the-build.ts",
            "test/support/leaves-as-found.ts",
            "test/support/properties.ts",
          ],
        },
      },
    ],
  },
});
