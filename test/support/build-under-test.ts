import { join } from "node:path";

/**
 * The folder into which the packages were installed that the tests run against (`npm run test:packed`); `undefined` where
 * they run against the sources.
 */
export const packed: string | undefined = process.env["HAFT_PACKED"];

const root = join(import.meta.dirname, "../..");

/**
 * What starts the `haft` command of the build that is tested; its arguments follow. Where the packages were just built
 * (`HAFT_BUILT=1`: `npm test`, `.ci/run`) it is that build, which starts in a quarter of the time; else the sources.
 */
export const haftCommand: readonly string[] =
  packed !== undefined
    ? [process.execPath, join(packed, "node_modules/haft/dist/cli/main.js")]
    : process.env["HAFT_BUILT"] === "1"
      ? [process.execPath, join(root, "packages/haft/dist/cli/main.js")]
      : [process.execPath, "--conditions=@haft/source", join(root, "packages/haft/src/cli/main.ts")];
