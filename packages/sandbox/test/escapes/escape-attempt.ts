/**
 * What a command in a sandbox may try. The same table for every backend: `run-attempts.ts` runs it, a test or
 * `haft sandbox` prints it.
 *
 * Each script is POSIX shell, runs in the workspace folder inside, and says what came of it in its last line that
 * starts with `KEPT`, `ESCAPED` or `SKIPPED`. A script must be harmless where it succeeds: nothing it opens is written,
 * what it takes is bounded by itself, and what it makes it removes.
 */
export interface EscapeAttempt {
  /** Stable, kebab-case. */
  name: string;
  /** For the table: what is tried. */
  title: string;
  /** See {@link fixtureVariables} in `fixture.ts` for the variables it may use. */
  script: string;
  /** The promise that is tested. A backend that does not make it says so, and the attempt is not run. */
  promise: EscapePromise;
  /** The command may be killed for it; then no word is as good as `KEPT`. */
  mayDie?: boolean;
  /** What has to be looked at on the host afterwards, by the name of a check of `run-attempts.ts`. */
  check?:
    | "links-not-followed"
    | "planted-not-started"
    | "no-setuid-root"
    | "host-files-untouched"
    | "devices-untouched"
    | "mounted-untouched"
    | "nobody-connected";
}

export type EscapePromise =
  | "isolated"
  | "no-network"
  | "tasks"
  | "memory"
  | "disk"
  | "file-size"
  | "no-core-dumps"
  | "few-kernel-calls";

/** Prints the verdict. `try` runs a command and escapes when that succeeds. */
const HEAD = `
escaped() { echo "ESCAPED $*"; exit 0; }
kept() { echo "KEPT $*"; exit 0; }
skipped() { echo "SKIPPED $*"; exit 0; }
try() { if "$@" >/dev/null 2>&1; then escaped "by: $*"; fi; }
`;

/** Opens each for writing and writes nothing. What is a device is not the file, but what covers it: /dev/null. */
export const OPENABLE = `
openable() { [ ! -c "$1" ] && { command : >>"$1"; } 2>/dev/null; }
`;

export const attempt = (
  name: string,
  title: string,
  script: string,
  more: Partial<Omit<EscapeAttempt, "name" | "title" | "script">> = {},
): EscapeAttempt => ({ name, title, script: HEAD + script, promise: "isolated", ...more });
