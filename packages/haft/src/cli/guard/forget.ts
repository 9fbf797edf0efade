import { resolveRealPath } from "@haft/config/internal/boundary";
import { AppliedRules, guardFolder } from "@haft/guard/internal/agents";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { refuseToAgents } from "../refuse-in-session.ts";
import { UsageError } from "../usage.ts";
import { listPolicyFiles } from "./installed-rules.ts";

/** Exit code 1: a file was never in force. */
export function forgetFiles(names: readonly string[]): number {
  if (names.length === 0)
    throw new UsageError(
      "Name the deleted file: haft guard forget FILE …; haft guard status prints its name.",
    );
  refuseToAgents("accept that a file of rules is deleted");
  const folder = guardFolder();
  const needed = new Set(listPolicyFiles());
  let code = 0;
  for (const name of names) {
    const path = resolve(name.replace(/^~(?=\/)/, homedir()));
    const known =
      folder === undefined
        ? []
        : new AppliedRules(folder).forget([...new Set([path, resolveRealPath(path)])]);
    if (known.length === 0) code = 1;
    console.log(
      known.length > 0
        ? `${path}: no longer missed; it applies again if it exists`
        : needed.has(path)
          ? `${path}: an installed guard needs it because of --policy. Restore it, or run haft guard install or uninstall again`
          : `${path}: it was never in force, so the guard does not miss it`,
    );
  }
  return code;
}
