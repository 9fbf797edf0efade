import {
  RunnerError,
  attempt,
  findHostProgram,
  isExecutable,
  isForeignTarget,
  formatMissingProgram,
  requireUnchangedProgram,
} from "@haft/system/processes";
import { realpathSync } from "node:fs";
import { basename, delimiter, resolve } from "node:path";

export const SHELLS = ["sh", "ash", "bash", "dash", "fish", "ksh", "zsh"];

/** Finds a shell on the host like all host programs, never in folders of sessions, and in a sandbox on the command's `PATH`. */
export function resolveShellProgram(name: string, path: string | undefined, cwd: string): string {
  if (name.includes("/") || isForeignTarget()) return findProgram(name, path, cwd);
  const { program, leftOut = [] } = findHostProgram(name);
  if (program !== undefined) return requireUnchangedProgram(program);
  if (leftOut.length > 0) throw new RunnerError("host-program-refused", formatMissingProgram(name, leftOut));
  const known = SHELLS.includes(name) ? "" : "; name another shell by its path";
  throw new RunnerError("PROGRAM_NOT_FOUND", `there is no shell ${JSON.stringify(name)}${known}`);
}

export interface Shell {
  program: string;
  words: readonly string[];
  /** The `$0` of the script, unless the first word is it. */
  named: readonly string[];
  /** Reads the script from {@link SCRIPT_FD}; `undefined` for an unknown shell. */
  reader: string | undefined;
}

export const SCRIPT_FD = 3;

/** Bash reads a pipe byte by byte. Unlike with `eval`, a simple command here replaces the shell. `time` is a reserved word. */
const BASH_READER = [
  `IFS= read -rd '' BASH_EXECUTION_STRING <&${SCRIPT_FD}`,
  `exec ${SCRIPT_FD}<&-`,
  'set -- "${BASH_EXECUTION_STRING%% *}"',
  "case $BASH_EXECUTION_STRING in ''|[\\ -]*|ti[m]e*|*[!A-Za-z0-9_./:@%+,=\\ -]*) ;; " +
    '*) if [[ $1 = */* ]]; then [[ -f $1 && -x $1 ]]; else hash -- "$1" 2>/dev/null; [[ ${BASH_CMDS[$1]} ]]; fi && ' +
    'eval -- "exec $BASH_EXECUTION_STRING" ;; esac',
  "set --",
  'eval -- "$BASH_EXECUTION_STRING"',
].join("; ");
const POSIX_READER = `_s=
while IFS= read -r _l <&${SCRIPT_FD}; do _s=$_s$_l'
'; done
exec ${SCRIPT_FD}<&-
eval "unset _s _l; $_s$_l"`;
const POSIX_SHELLS = new Set(["sh", "ash", "dash", "ksh", "zsh"]);

/** Bash has its own path, no start files, and the name that the caller used. */
export function resolveShell(name: string, path: string | undefined, cwd: string): Shell {
  const program = resolveShellProgram(name, path, cwd);
  const kind = basename(name);
  if (kind === "bash")
    return { program, words: [program, "--noprofile", "--norc"], named: [name], reader: BASH_READER };
  return { program, words: [name], named: [], reader: POSIX_SHELLS.has(kind) ? POSIX_READER : undefined };
}

/** Only dash can become another shell without leaving variables or a shell level. */
export function findWaitingShell(path: string | undefined, cwd: string): string | undefined {
  const program = attempt(() => resolveShellProgram("sh", path, cwd));
  return program !== undefined && attempt(() => basename(realpathSync.native(program))) === "dash"
    ? program
    : undefined;
}

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

export function quoteForShell(argv: readonly string[]): string {
  return argv.map((one) => (PLAIN.test(one) ? one : `'${one.replaceAll("'", "'\\''")}'`)).join(" ");
}

export function findProgram(name: string, path: string | undefined, cwd: string): string {
  const folders = name.includes("/") ? [""] : (path ?? "/usr/bin:/bin").split(delimiter);
  const found = folders.map((folder) => resolve(cwd, folder, name)).find(isExecutable);
  if (found !== undefined) return found;
  throw new RunnerError("PROGRAM_NOT_FOUND", `there is no program ${JSON.stringify(name)}`);
}
