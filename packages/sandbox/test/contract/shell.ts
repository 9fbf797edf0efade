import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import { hasShell, openShell, type SHELLS } from "../shell-runner/shells.ts";

/** Both contracts behind the runner that is a shell program. A file for each shell: together they take minutes. */
export function shellContract(shell: keyof typeof SHELLS): void {
  if (!hasShell(shell)) return;
  // The program is the same in each: what many do at once is tried in full in the one that most systems have.
  const oneIn = shell === "dash" ? 1 : 4;
  fileContract(shell, () => openShell(shell), { without: ["read-only globs"], oneIn });
  processContract(shell, () => openShell(shell), {
    without: ["pty", "identify", "hidden processes", "output limits"],
    oneIn,
  });
}
