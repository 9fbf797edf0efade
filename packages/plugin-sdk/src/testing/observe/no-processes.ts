import { HaftError, type Processes } from "@haft/core";
import { mapProcesses } from "@haft/core/internal";

/** Processes of a place where no program is: starting one fails as it does for a program that is not installed. */
export function noProcesses(): Processes {
  return mapProcesses(() => {
    throw new HaftError("PROGRAM_NOT_FOUND", "There is no program here: this is a check, and starts none.", {
      category: "input",
      fix: "Say what to install, as where the program is really missing.",
      receipt: "none",
    });
  });
}
