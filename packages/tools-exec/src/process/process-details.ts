import { type ProcessInfo, text, type ToolResult } from "@haft/plugin-sdk";
import type { CommandSession } from "../sessions/command-session.ts";
import type { CommandEnd, CommandStatus } from "../sessions/describe-end.ts";

/** One command in a list. Times are milliseconds, since the epoch where they name a moment. */
export interface ListedSession extends Omit<CommandEnd, "status"> {
  /** What the other actions call it. */
  sessionId: string;
  /** How it is, or how it ended. */
  status: CommandStatus;
  /** Process id, as commands of the same workspace see it, while it runs. */
  pid?: number;
  /** When it was started. */
  startedAt: number;
  /** When it ended. */
  endedAt?: number;
  /** From its start to its end, or to now. */
  runtimeMs: number;
  /** Absolute folder it was started in. */
  cwd: string;
  /** As it was called. */
  command: string;
  /** Its title, or a short form of the command. */
  name: string;
  /** Bytes it has written. */
  outputBytes: number;
  /** Some of its output can no longer be read. */
  truncated: boolean;
  /** It has been silent for a while and could read input. */
  waitingForInput?: true;
  /** What ran it is gone: why, and what is known of it. One that is `running` has outlived its host. */
  loss?: string;
  /** A port of it that is reached at `hostPort` of the host's 127.0.0.1, until it has ended. */
  forward?: NonNullable<ProcessInfo["forward"]>;
}

/** Answer of `list`. */
export interface ProcessListDetails {
  /** That of the action itself. */
  status: "completed";
  /** Commands in the background, running or ended not long ago; latest first. */
  sessions: ListedSession[];
}

/** What every answer about one command says. */
export interface ProcessSessionDetails extends Omit<CommandEnd, "status"> {
  /** How it is, or how it ended. */
  status: CommandStatus;
  /** Which command. */
  sessionId: string;
  /** Its title, or the command, on one line of about 120 characters at most. */
  name: string;
}

/** Answer of `poll`. */
export interface ProcessPollDetails extends ProcessSessionDetails {
  /** Nothing new: asking again sooner is a waste. */
  retryInMs?: number;
  /** It has been silent for a while and could read input. */
  waitingForInput?: true;
  /** Bytes left out of the text. */
  omittedBytes?: number;
  /** Bytes of them that nobody can read any more. */
  droppedBytes?: number;
}

/** Answer of `log`. */
export interface ProcessLogDetails extends ProcessSessionDetails {
  /** The same as `totalLines`. */
  total: number;
  /** Lines there are. */
  totalLines: number;
  /** Characters of all of them, with line ends. */
  totalChars: number;
  /** Number of the first line shown, from 0. */
  offset: number;
  /** Lines shown. */
  lines: number;
}

/** Answer of what types something: `write`, `send-keys`, `submit` and `paste`. */
export interface ProcessInputDetails extends ProcessSessionDetails {
  /** Bytes that were sent. */
  bytes: number;
  /** What was left out of the keys, or typed as it is, one sentence each. */
  warnings?: string[];
}

/** What `process` tells programs, by action. */
export type ProcessToolDetails =
  | ProcessListDetails
  | ProcessSessionDetails
  | ProcessPollDetails
  | ProcessLogDetails
  | ProcessInputDetails;

export function sessionDetails(session: CommandSession): ProcessSessionDetails {
  const { id: sessionId, status } = session;
  return { ...(session.hasEnded ? session.end : {}), status, sessionId, name: sessionName(session) };
}

const LONGEST_NAME = 120;

export function sessionName({ title, info }: CommandSession): string {
  const line = (title ?? info.command).replaceAll(/\s+/g, " ").trim();
  if (line.length <= LONGEST_NAME) return line;
  const half = LONGEST_NAME / 2 - 1;
  return `${line.slice(0, half)}…${line.slice(-half)}`.toWellFormed();
}

export function textResult<Details>(message: string, details: Details): ToolResult<Details> {
  return { content: [text(message)], details };
}

/** A command that could read input and has said nothing for a while probably waits for some. */
export function isWaitingForInput({ info }: CommandSession, idleMs: number): boolean {
  if (info.state !== "running" || info.stdin === "closed") return false;
  return Date.now() - (info.output.lastAt ?? info.startedAt) >= idleMs;
}
