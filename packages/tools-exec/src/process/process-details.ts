import { text, type ToolResult } from "@haft/plugin-sdk";
import type { CommandSession } from "../sessions/command-session.ts";
import { type CommandEnd, type CommandStatus, describeEnd, statusOf } from "../sessions/describe-end.ts";

/** One command in a list. Times are milliseconds, since the epoch where they name a moment. */
export interface ListedSession extends Omit<CommandEnd, "status"> {
  sessionId: string;
  status: CommandStatus;
  pid?: number;
  startedAt: number;
  endedAt?: number;
  runtimeMs: number;
  cwd: string;
  command: string;
  /** Its title, or a short form of the command. */
  name: string;
  /** Bytes it has written. */
  outputBytes: number;
  /** Some of its output can no longer be read. */
  truncated: boolean;
  waitingForInput?: true;
}

export interface ProcessListDetails {
  status: "completed";
  sessions: ListedSession[];
}

/** What every answer about one command says. */
export interface ProcessSessionDetails extends Omit<CommandEnd, "status"> {
  status: CommandStatus;
  sessionId: string;
  name: string;
}

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

export interface ProcessLogDetails extends ProcessSessionDetails {
  total: number;
  totalLines: number;
  totalChars: number;
  /** Number of the first line shown, from 0. */
  offset: number;
  /** Lines shown. */
  lines: number;
}

export interface ProcessInputDetails extends ProcessSessionDetails {
  bytes: number;
  warnings?: string[];
}

export type ProcessToolDetails =
  | ProcessListDetails
  | ProcessSessionDetails
  | ProcessPollDetails
  | ProcessLogDetails
  | ProcessInputDetails;

export function sessionDetails(session: CommandSession): ProcessSessionDetails {
  const { id: sessionId, info } = session;
  const end = session.hasEnded ? describeEnd(info) : {};
  return { ...end, status: statusOf(info), sessionId, name: nameOf(session) };
}

const LONGEST_NAME = 120;

/** Its title, or the command on one line, its middle cut out when it is long. */
export function nameOf({ title, info }: CommandSession): string {
  const line = (title ?? info.command).replaceAll(/\s+/g, " ").trim();
  if (line.length <= LONGEST_NAME) return line;
  const half = LONGEST_NAME / 2 - 1;
  return `${line.slice(0, half)}…${line.slice(-half)}`.toWellFormed();
}

export function answer<Details>(message: string, details: Details): ToolResult<Details> {
  return { content: [text(message)], details };
}
