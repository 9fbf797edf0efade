import { fileContract } from "../../../workspace/test/contract/files.ts";
import { processContract } from "../../../workspace/test/contract/processes.ts";
import { EACH_SHELL, hasShell, openShell } from "../shell-runner/shells.ts";

for (const shell of EACH_SHELL.filter(hasShell)) {
  fileContract(shell, () => openShell(shell), { without: ["read-only globs"] });
  processContract(shell, () => openShell(shell), {
    without: ["pty", "identify", "hidden processes", "output limits"],
  });
}
