import { readFileSync } from "node:fs";

/** A process, told from others that have the same pid at other times. */
export interface ProcessIdentity {
  pid: number;
  /** In ticks since the start of the system. */
  started: number;
}

/** When it is there and has not ended. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : { pid, started: Number(fields[19]) };
  } catch {
    return undefined;
  }
}

export function isAlive({ pid, started }: ProcessIdentity): boolean {
  return identityOf(pid)?.started === started;
}

/** Its only child: bubblewrap's is the first process of the sandbox. */
export function childOf(pid: number): ProcessIdentity | undefined {
  try {
    const child = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ")[0]);
    return child > 1 ? identityOf(child) : undefined;
  } catch {
    return undefined;
  }
}
