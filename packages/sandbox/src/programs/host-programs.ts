import type { HostProgram, ProgramPlace } from "@haft/workspace/internal/system";
import { addSessionRoot, findHostProgram, hostProgramError, missing } from "@haft/workspace/internal/system";
import type { SandboxSpec } from "../backend.ts";
import type { BackendError } from "../errors.ts";

/** What is mounted may hold what a session left there: programs of the host come from elsewhere. */
export function keepProgramsOutOf({ mounts }: Pick<SandboxSpec, "mounts">): void {
  for (const { hostPath } of mounts) addSessionRoot(hostPath);
}

/**
 * A program of the host that a backend starts; `undefined` when it is not there.
 *
 * @throws HaftError `SANDBOX_UNAVAILABLE` when it is only where others could have put it, `HOST_PROGRAM_CHANGED`
 */
export function programFor(
  name: string,
  error: BackendError<"SANDBOX_UNAVAILABLE">,
  place: ProgramPlace = {},
): HostProgram | undefined {
  const { program, leftOut } = coded(() => findHostProgram(name, place));
  if (leftOut === undefined || leftOut.length === 0) return program;
  const fix =
    "Have it in a folder of the PATH that belongs to root or to you, that nobody else may write to, and where no session works; or give sessions a smaller folder.";
  throw error("SANDBOX_UNAVAILABLE", missing(name, leftOut, place), fix);
}

/** @throws HaftError `SANDBOX_UNAVAILABLE`, `HOST_PROGRAM_CHANGED` */
export function shellFor(error: BackendError<"SANDBOX_UNAVAILABLE">): HostProgram {
  const shell = programFor("sh", error);
  if (shell === undefined)
    throw error("SANDBOX_UNAVAILABLE", missing("sh", []), "Have a POSIX shell on the PATH.");
  return shell;
}

/**
 * What needs a program of the host, with coded errors.
 *
 * @throws HaftError `HOST_PROGRAM_CHANGED`
 */
export function coded<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    throw hostProgramError(thrown, "open a sandbox");
  }
}
