import { type ProcessIdentity, getCurrentProcess } from "../processes/process-identity.ts";

/** `.haft-PID-START-ID.tmp`: what is being written, named by who writes it. */
const TEMPORARY = /^\.haft-(\d+)-(\d*)-[0-9a-f]{12}\.tmp$/;

export function temporaryName(): string {
  const { pid, started } = getCurrentProcess();
  return `.haft-${pid}-${started || ""}-${crypto.randomUUID().slice(-12)}.tmp`;
}

/** Who writes a file of such a name; `undefined` for any other name. */
export function parseWriter(name: string): ProcessIdentity | undefined {
  const match = TEMPORARY.exec(name);
  return match === null ? undefined : { pid: Number(match[1]), started: Number(match[2]) };
}

/** Written by whom it is certain that they are gone, by pid and start. */
const gone = new Set<string>();

const keyOf = ({ pid, started }: ProcessIdentity): string => `${pid}-${started || ""}`;

/**
 * Says of a process of this machine that it has ended, as its own record tells: what it was writing is abandoned, however
 * lately that was.
 */
export function recordEndedWriter(writer: ProcessIdentity): void {
  gone.add(keyOf(writer));
}

export function isEndedWriter(writer: ProcessIdentity): boolean {
  return gone.has(keyOf(writer));
}
