import { describe, expect, it } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { createKernelFolders } from "../../src/boundary/walk/kernel-folders.ts";
import { OPERATIONS, race } from "../race/boundary-race.ts";

const TIMES = scaleRuns(2_000, 4);

/** F7, F8. `npm run soak -- boundary-race` runs the same for as long as you like and prints the counts. */
describe.runIf(createKernelFolders() !== undefined)("a folder that another process swaps for a link", () => {
  it.each(OPERATIONS)(
    `after ${TIMES} rounds of %s, no outside file was read or changed`,
    { timeout: 120_000 },
    async (operation) => {
      const count = await race(operation, TIMES);
      expect(count.escapes).toBe(0);
      const known = ["OUTSIDE_WORKSPACE", "FILE_NOT_FOUND", "PATH_CHANGED", "FILE_EXISTS", "FILE_CHANGED"];
      expect(Object.keys(count.refused).filter((code) => !known.includes(code))).toEqual([]);
    },
  );
});
