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
      `No folder can be created in ${tmpdir()}, the folder of temporary files: ${systemReason(thrown)}.`,
      { fix: "Create that folder, or set TMPDIR to another.", cause: thrown },
    );
  }
}
