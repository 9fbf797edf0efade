import { systemReason } from "@haft/system";
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sandboxError } from "./errors.ts";

export function makeTemporaryFolder(prefix: string): string {
  try {
    return realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  } catch (thrown) {
    throw sandboxError(
      "SANDBOX_UNAVAILABLE",
      `No folder can be made in ${tmpdir()}, the folder of temporary files: ${systemReason(thrown)}.`,
      { fix: "Make that folder, or name another one with TMPDIR.", cause: thrown },
    );
  }
}
