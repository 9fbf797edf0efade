import type { ModelMessage } from "ai";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

export interface ConversationHead {
  haftChat: 1;
  id: string;
  sessionKey: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

export interface ConversationLine {
  runId?: string;
  messages?: ModelMessage[];
  /** Replaces all previous messages. */
  anew?: true;
}

export interface ReadConversation {
  head: ConversationHead;
  runId: string | undefined;
  messages: ModelMessage[];
  /** Unreadable lines, such as a last line truncated by a crash. */
  broken: number;
  torn: boolean;
}

export function readConversation(file: string): ReadConversation | undefined {
  const text = textOf(file);
  const [first = "", ...lines] = text.split("\n");
  const head = parse(first) as Partial<ConversationHead> | undefined;
  if (head?.haftChat !== 1 || typeof head.sessionKey !== "string" || typeof head.id !== "string")
    return undefined;
  const read: ReadConversation = {
    head: head as ConversationHead,
    runId: undefined,
    messages: [],
    broken: 0,
    torn: !text.endsWith("\n"),
  };
  for (const line of lines) {
    if (line === "") continue;
    const value = parse(line) as ConversationLine | undefined;
    if (typeof value !== "object" || value === null) {
      read.broken++;
      continue;
    }
    if (typeof value.runId === "string") read.runId = value.runId;
    if (!Array.isArray(value.messages)) continue;
    const messages = value.messages.filter(isMessage);
    if (messages.length < value.messages.length) read.broken++;
    if (value.anew === true) read.messages = messages;
    else read.messages.push(...messages);
  }
  return read;
}

/** Other values in the file are never sent to a model. */
function isMessage(value: unknown): value is ModelMessage {
  const { role, content } = (value ?? {}) as { role?: unknown; content?: unknown };
  if (role === "user") return typeof content === "string" || isParts(content);
  if (role === "assistant") return typeof content === "string" || isParts(content);
  return role === "tool" && isParts(content);
}

function isParts(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.every((part: unknown) => typeof (part as { type?: unknown } | null)?.type === "string")
  );
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Follows no link and does not block on a pipe. @throws system errors, and Error for irregular files */
function textOf(file: string): string {
  const opened = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(opened).isFile()) throw new Error(`${file} is not a regular file`);
    return readFileSync(opened, "utf8");
  } finally {
    closeSync(opened);
  }
}
