import { getErrorMessage } from "@haft/core";
import {
  addSessionRoot,
  findHostProgram,
  type HostProgram,
  hostProgramError,
  formatMissingProgram,
  type ProgramLocation,
  runProgram,
} from "@haft/system";
import type { SandboxSpec } from "../backend.ts";
import type { BackendError } from "../errors.ts";

/** Sessions can write to mounts, so host programs must not come from there. */
export function excludeMountedPrograms({ mounts }: Pick<SandboxSpec, "mounts">): void {
  for (const { hostPath } of mounts) addSessionRoot(hostPath);
}

/** Throws if other users could have changed the program. */
export function findBackendProgram(
  name: string,
  error: BackendError<"SANDBOX_UNAVAILABLE">,
  location: ProgramLocation = {},
): HostProgram | undefined {
  const { program, leftOut } = withCodedErrors(() => findHostProgram(name, location));
  if (leftOut === undefined || leftOut.length === 0) return program;
  const fix =
    "Install it in a folder of the PATH that belongs to root or to you, that no other user may write to, and where no session works; or give sessions a smaller folder.";
  throw error("SANDBOX_UNAVAILABLE", formatMissingProgram(name, leftOut, location), fix);
}

export function findHostShell(error: BackendError<"SANDBOX_UNAVAILABLE">): HostProgram {
  const shell = findBackendProgram("sh", error);
  if (shell === undefined)
    throw error("SANDBOX_UNAVAILABLE", formatMissingProgram("sh", []), "Install a POSIX shell on the PATH.");
  return shell;
}

export function withCodedErrors<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    throw hostProgramError(thrown, "open a sandbox");
  }
}

const ANSWER_MS = 5000;
const versions = new Map<string, Promise<string>>();

/** Returns the output, or the reason of a failure. Cached per file. */
export function readProgramVersion(program: HostProgram): Promise<string> {
  const { path, version } = program;
  const key = `${version} ${path}`;
  const answer = versions.get(key) ?? ask(program);
  versions.set(key, answer);
  return answer;
}

async function ask(program: HostProgram): Promise<string> {
  try {
    const { output, failure } = await runProgram(program, ["--version"], { timeout: ANSWER_MS, env: {} });
    return failure === undefined ? output.trim() : `not known: ${failure.message}`;
  } catch (thrown) {
    return `not known: ${getErrorMessage(thrown)}`;
  }
}
