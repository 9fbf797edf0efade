import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import { hasShell, openShell, type SHELLS } from "../shell-runner/shells.ts";
import { shareSite } from "./site.ts";

/** Both contracts behind the runner that is a shell program. A file for each shell: together they take minutes. */
export function shellContract(shell: keyof typeof SHELLS): void {
  if (!hasShell(shell)) return;
  // What many do at once is tried in full in a long campaign.
  const oneIn = 4;
  const site = shareSite(() => openShell(shell));
  fileContract(shell, site, { without: ["read-only globs"], oneIn });
  processContract(shell, site, {
    without: ["pty", "identify", "hidden processes", "output limits"],
    oneIn,
  });
}
