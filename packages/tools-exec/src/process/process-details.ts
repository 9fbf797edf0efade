import { type ProcessInfo, text, type ToolResult } from "@haft/plugin-sdk";
import type { CommandSession } from "../sessions/command-session.ts";
import type { CommandEnd, CommandStatus } from "../sessions/describe-end.ts";

/** Describes a command in the list of `process`. Times are in milliseconds; points in time count from the epoch. */
export interface ListedSession extends Omit<CommandEnd, "status"> {
  /** Id for the other actions. */
  sessionId: string;
  status: CommandStatus;
  /** Process id, as commands of the same workspace see it, while the command runs. */
  pid?: number;
  startedAt: number;
  endedAt?: number;
  /** From the start to the end, or until now. */
  runtimeMs: number;
  cwd: string;
  command: string;
  /** Title, or a short form of the command line. */
  name: string;
  outputBytes: number;
  /** Whether a part of its output is lost. */
  truncated: boolean;
  /** Present after some silence of a command that can read input. */
  waitingForInput?: true;
  /**
   * Present if the command's host process has ended: the reason and known facts. A command with the status `running` has outlived its host.
   */
  loss?: string;
  /** A port of the command, reachable at `hostPort` of the host's 127.0.0.1 until the command ends. */
  forward?: NonNullable<ProcessInfo["forward"]>;
}

/** The `details` of the action `list`. */
export interface ProcessListDetails {
  status: "completed";
  /** Background commands that run or ended recently, latest first. */
  sessions: ListedSession[];
}

/** The `details` of actions for one command. */
export interface ProcessSessionDetails extends Omit<CommandEnd, "status"> {
  status: CommandStatus;
  sessionId: string;
  /** Title of the command, or the command, on one line of at most about 120 characters. */
  name: string;
}

/** The `details` of the action `poll`. */
export interface ProcessPollDetails extends ProcessSessionDetails {
  /** Milliseconds until the next poll is useful. Present without new output. */
  retryInMs?: number;
  /** Present after some silence of a command that can read input. */
  waitingForInput?: true;
  /** Counts the bytes that the text omits. */
  omittedBytes?: number;
  /** Counts the omitted bytes that are lost. */
  droppedBytes?: number;
}

/** The `details` of the action `log`. */
export interface ProcessLogDetails extends ProcessSessionDetails {
  total: number;
  totalLines: number;
  /** Counts the characters of the output, with line endings. */
  totalChars: number;
  /** Number of the first shown line, from 0. */
  offset: number;
  lines: number;
}

/** The `details` of `write`, `send-keys`, `submit` and `paste`. */
export interface ProcessInputDetails extends ProcessSessionDetails {
  bytes: number;
  /** Ignored keys, or keys sent as plain text, one sentence for each. */
  warnings?: string[];
}

/**
 * The `details` of `process`, by action.
 *
 * @example
 * ```ts
 * import type { ProcessToolDetails } from "@haft/tools-exec";
 * const running = (details: ProcessToolDetails) =>
 *   "sessions" in details ? details.sessions.filter(({ status }) => status === "running") : [];
 * ```
 */
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

export function isWaitingForInput({ info }: CommandSession, idleMs: number): boolean {
  if (info.state !== "running" || info.stdin === "closed") return false;
  return Date.now() - (info.output.lastAt ?? info.startedAt) >= idleMs;
}
