import type { CommandSession } from "../sessions/command-session.ts";

/** A command that could read input and has said nothing for a while probably waits for some. */
export function isWaitingForInput({ info }: CommandSession, idleMs: number): boolean {
  if (info.state !== "running" || info.stdin === "closed") return false;
  return Date.now() - (info.output.lastAt ?? info.startedAt) >= idleMs;
}
