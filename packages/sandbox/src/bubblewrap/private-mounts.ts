import { runProgram, safePath, unchanged } from "@haft/workspace/internal/system";
import { bubblewrapError } from "../errors.ts";
import type { Identity } from "../isolation/identity.ts";
import { coded, programFor } from "../programs/host-programs.ts";

/** Bubblewrap follows what its parent mounts. Nobody mounts in this one, and what it is in the way of is not followed. */
const PRIVATE = ["--user", "--map-root-user", "--mount", "--propagation", "private", "--"];
const tried = new Map<string, Promise<boolean>>();

/**
 * Words that come before bubblewrap, so that what the host mounts later in a folder is not mounted in the sandbox, where it could be
 * written. None where the system lets bubblewrap make namespaces and not `unshare`.
 *
 * @throws HaftError `SANDBOX_UNAVAILABLE`, `HOST_PROGRAM_CHANGED`
 */
export async function privateMounts({ drop }: Pick<Identity, "drop">): Promise<readonly string[]> {
  const program = programFor("unshare", bubblewrapError);
  if (program === undefined) return [];
  const words = [coded(() => unchanged(program)), ...PRIVATE];
  const key = `${words[0]} ${drop?.uid}`;
  const works =
    tried.get(key) ??
    runProgram(program, [...PRIVATE, "true"], { ...drop, cwd: "/", env: { PATH: safePath() } }).then(
      ({ failure }) => failure === undefined,
    );
  tried.set(key, works);
  return (await works) ? words : [];
}
