import { join } from "node:path";

/**
 * The folder into which the packages were installed that the tests run against (`npm run test:packed`); `undefined` where
 * they run against the sources.
 */
export const packed: string | undefined = process.env["HAFT_PACKED"];

const root = join(import.meta.dirname, "../..");

const isBuilt = process.env["HAFT_BUILT"] === "1";

/** What Node takes so that a program imports the packages that are tested: by their build, or by their sources. */
export const conditions: readonly string[] = isBuilt ? [] : ["--conditions=@haft/source"];

/**
 * What starts the `haft` command of the build that is tested; its arguments follow. Where the packages were just built
 * (`HAFT_BUILT=1`: `npm test`, `.ci/run`) it is that build, which starts in a quarter of the time; else the sources.
 */
export const haftCommand: readonly string[] =
  packed !== undefined
    ? [process.execPath, join(packed, "node_modules/haft/dist/cli/main.js")]
    : isBuilt
      ? [process.execPath, join(root, "packages/haft/dist/cli/main.js")]
      : [process.execPath, "--conditions=@haft/source", join(root, "packages/haft/src/cli/main.ts")];

/** The runner that is tested, as a program: of the build, where there is one. */
export const runnerFile = join(
  root,
  isBuilt ? "packages/workspace/dist/runner-main.js" : "packages/workspace/src/run/runner-main.ts",
);
