import { defaultStateFolder } from "@haft/config/internal/boundary";
import { isStateFolderListing, resolveStateFolder } from "@haft/config/internal/home-folder";
import { systemReason } from "@haft/system";
import { accessSync, constants, readdirSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { commandError } from "../../errors.ts";

/**
 * The folder may be missing.
 *
 * @throws HaftError `PATH_RELATIVE`; `STATE_FOLDER_FAILED` if the path is not a state folder
 */
export function readStateValue(state: string | undefined): string {
  const { variable } = resolveStateFolder();
  const folder = state === undefined ? defaultStateFolder() : resolve(state);
  const why = whyUnusable(folder, state !== undefined || variable === "HAFT_STATE_DIR");
  if (why === undefined) return folder;
  const isNamed = state !== undefined || variable === "HAFT_STATE_DIR";
  const origin = state === undefined ? variable : "--state";
  throw commandError(
    "STATE_FOLDER_FAILED",
    isNamed
      ? `${origin}: ${folder} ${why}.`
      : `Haft stores its state in ${folder}, because of ${variable}; it ${why}.`,
    {
      details: { folder },
      ...(!isNamed && {
        fix: `Set HAFT_STATE_DIR to the absolute path of a folder that this user may read and write, or use --state DIR.`,
      }),
    },
  );
}

function whyUnusable(folder: string, byName: boolean): string | undefined {
  try {
    const found = statSync(folder);
    if (!found.isDirectory()) return "is not a folder";
    accessSync(folder, constants.R_OK | constants.X_OK);
    return byName && !isStateFolderListing(readdirSync(folder))
      ? "is not a state folder of Haft: it contains other files"
      : undefined;
  } catch (thrown) {
    const { code } = thrown as { code?: string };
    return code === "ENOENT" ? undefined : `cannot be read: ${systemReason(thrown)}`;
  }
}
