import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import type { Plugin } from "vitest/config";
import { compileCache } from "./test/support/compile-cache.ts";
import { LongestFirst } from "./test/support/longest-first.ts";
import { PATIENCE_MS } from "./test/support/until.ts";

// Tests run on the sources: without the condition they would silently run on an old build.
const conditions = ["@haft/source"];

// The hundreds of programs that tests start load the same sources: in a third of the time when Node keeps what it made of them.
process.env["NODE_COMPILE_CACHE"] ??= compileCache;

/**
 * The runner is a program that tests start, too, hundreds of times: like the others it is that of the build, where there
 * is one, which starts in a third of the time.
 */
const runnerOfTheBuild: Plugin = {
  name: "runner-of-the-build",
  transform(code, id) {
    if (process.env["HAFT_BUILT"] !== "1" || !id.endsWith("/workspace/src/processes/launch-runner.ts"))
      return undefined;
    const built = code.replace("../run/runner-main.ts", "../../dist/runner-main.js");
    if (built === code) throw new Error(`${id} does not name the runner any more`);
    return built;
  },
};

/**
 * Files that get a process of their own: they change what a whole process has (folder, environment, umask, its registry
 * of sandboxes), count what it has open, or are about how it ends. All others share theirs: a file starts a second sooner.
 */
const alone = [
  "packages/haft/test/**/*.test.ts",
  "packages/sandbox/test/**/*.test.ts",
  "packages/workspace/test/processes/**/*.test.ts",
  "packages/workspace/test/system/**/*.test.ts",
  "apps/*/test/**/*.test.ts",
];

/** Files in those folders that have nothing of a whole process. */
const sharedAfterAll = [
  "packages/haft/test/approvals/folder-approvals.test.ts",
  "packages/haft/test/approvals/folder-contract.test.ts",
  "packages/haft/test/boundary/explain-boundary.security.test.ts",
  "packages/haft/test/cli/policy/matrix.test.ts",
  "packages/haft/test/host/policy-file.test.ts",
  "packages/haft/test/host/session-key.test.ts",
  "packages/sandbox/test/backend-options.test.ts",
  "packages/sandbox/test/mounts/path-mapping.test.ts",
  "packages/sandbox/test/session/check-spec.security.test.ts",
  "packages/sandbox/test/ssh/ssh-arguments.security.test.ts",
  "packages/workspace/test/system/make-private-folder.security.test.ts",
];
const apart = globSync(alone, { cwd: import.meta.dirname }).filter((file) => !sharedAfterAll.includes(file));

export default defineConfig({
  plugins: [runnerOfTheBuild],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ["test/support/build-once.ts"],
    execArgv: ["--conditions=@haft/source"],
    // More than half of the time goes to waiting for other programs: two cores have work for six files at a time.
    maxWorkers: Math.max(6, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // Only for what hangs: every test waits for conditions, however busy the machine is.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: PATIENCE_MS, interval: 20 } },
    projects: [
      {
        extends: true,
        test: { name: "alone", include: apart, setupFiles: ["test/support/properties-where-used.ts"] },
      },
      {
        extends: true,
        test: {
          name: "shared",
          include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...apart],
          isolate: false,
          setupFiles: ["test/support/properties.ts"],
        },
      },
    ],
  },
});
