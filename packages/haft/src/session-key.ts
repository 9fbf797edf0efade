import type { SessionKind } from "@haft/core";
import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";

/**
 * The key of the command line's sessions in one folder: the same from run to run, so that what was allowed for good is
 * remembered. Another for each kind of session: what the owner allowed themselves, they did not allow a group.
 */
export function commandLineSessionKey(workspaceDir: string, kind: SessionKind): string {
  const hash = createHash("sha256").update(realpathSync(workspaceDir)).digest("hex");
  return `cli:${kind}:${hash.slice(0, 10)}`;
}
