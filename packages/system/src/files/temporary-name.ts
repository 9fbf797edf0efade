import { type ProcessIdentity, getCurrentProcess } from "../processes/process-identity.ts";

/** `.haft-PID-START-ID.tmp` names the writer. */
const TEMPORARY = /^\.haft-(\d+)-(\d*)-[0-9a-f]{12}\.tmp$/;

/**
 * Returns a new name for a file that this process writes: `.haft-PID-START-ID.tmp`. {@link parseWriter} reads the process from it.
 *
 * @example
 * ```ts run
 * import { parseWriter, temporaryName } from "@haft/system";
 * parseWriter(temporaryName())?.pid === process.pid; // => true
 * ```
 */
export function temporaryName(): string {
  const { pid, started } = getCurrentProcess();
  return `.haft-${pid}-${started || ""}-${crypto.randomUUID().slice(-12)}.tmp`;
}

/**
 * Returns the process of a {@link temporaryName}, and `undefined` for any other name.
 *
 * @example
 * ```ts run
 * import { parseWriter } from "@haft/system";
 * parseWriter(".haft-4711-98765-0123456789ab.tmp"); // => { pid: 4711, started: 98765 }
 * parseWriter("notes.md"); // => undefined
 * ```
 */
export function parseWriter(name: string): ProcessIdentity | undefined {
  const match = TEMPORARY.exec(name);
  return match === null ? undefined : { pid: Number(match[1]), started: Number(match[2]) };
}

/** Ended writers, by pid and start. */
const gone = new Set<string>();

const keyOf = ({ pid, started }: ProcessIdentity): string => `${pid}-${started || ""}`;

/**
 * Records that a process of this machine has ended: its unfinished files are then abandoned.
 *
 * @example
 * ```ts
 * import { recordEndedWriter } from "@haft/system";
 * recordEndedWriter({ pid: 4711, started: 98765 });
 * ```
 */
export function recordEndedWriter(writer: ProcessIdentity): void {
  gone.add(keyOf(writer));
}

/**
 * Returns whether {@link recordEndedWriter} was called for this process.
 *
 * @example
 * ```ts run
 * import { isEndedWriter, recordEndedWriter } from "@haft/system";
 * const writer = { pid: 4711, started: 98765 };
 * recordEndedWriter(writer);
 * isEndedWriter(writer); // => true
 * ```
 */
export function isEndedWriter(writer: ProcessIdentity): boolean {
  return gone.has(keyOf(writer));
}
