import type { Workspace } from "@haft/core";
import { processFailure } from "../wire/failures.ts";

/**
 * The absolute folder a command runs in. It has to be in the workspace, a folder, and there.
 *
 * @throws HaftError `INVALID_PROCESS`, and what the workspace says of its path
 */
export async function resolveWorkdir(
  workspace: Pick<Workspace, "fs" | "describe">,
  cwd: string | undefined,
): Promise<string> {
  if (cwd === undefined) return workspace.describe().cwd;
  const tried = `run in ${JSON.stringify(cwd.slice(0, 200))}`;
  const details = { cwd };
  const fix = "Name a folder relative to the workspace, without `~`.";
  if (cwd.trim() === "") throw processFailure("INVALID_PROCESS", tried, "it is empty", { details, fix });
  if (cwd.startsWith("~")) {
    throw processFailure("INVALID_PROCESS", tried, "`~` is not expanded here", { details, fix });
  }
  const found = await workspace.fs.stat(cwd);
  if (found === undefined)
    throw processFailure("workdir-not-found", tried, "there is no such folder", { details });
  if (found.type !== "directory") {
    throw processFailure("INVALID_PROCESS", tried, "it is not a folder", { details, fix });
  }
  return workspace.fs.realpath(cwd);
}
