import { defineTool, type HaftError, type Static, type Tool, type ToolResult, Type } from "@haft/plugin-sdk";
import { commandToolError } from "../errors.ts";
import { loadPlans } from "../plan/load-plans.ts";
import { type SessionBook, sessionBook } from "../sessions/session-book.ts";
import { clearSession, killSession, removeSession } from "./end-session.ts";
import { listSessions } from "./list.ts";
import { logSession } from "./log.ts";
import { pollSession } from "./poll.ts";
import type { ProcessToolDetails } from "./process-details.ts";
import { resizeTerminal } from "./resize.ts";
import { pasteText, sendKeys, submitInput, writeInput } from "./send-input.ts";
import { requireBackgrounded, requireSession } from "./session-errors.ts";

const ACTIONS = [
  "list", "poll", "log", "write", "send-keys", "submit", "paste", "kill", "clear", "remove", "resize",
] as const; // prettier-ignore
/** Those that type something. */
const TYPING = ["write", "send-keys", "submit", "paste"] as const;
const isInput = (action: string): action is (typeof TYPING)[number] => TYPING.includes(action as never);
/** Those that only look. */
const LOOKING: readonly string[] = ["list", "poll", "log"];

const DEFAULT_INPUT_WAIT_IDLE_MS = 15_000;
const MINUTE = 60_000;

/** The parameters of `process`. */
export const processSchema = Type.Object(
  {
    action: Type.Unsafe<(typeof ACTIONS)[number]>({
      type: "string",
      enum: [...ACTIONS],
      description: "submit presses Enter on a terminal, and ends the input of other commands.",
    }),
    sessionId: Type.Optional(Type.String({ description: "Which command; for all actions but list." })),
    timeout: Type.Optional(
      Type.Number({
        description: "poll: wait up to this many milliseconds (at most 30000) for output or the end.",
      }),
    ),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: "log: first line, from 0." })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, description: "log: number of lines; alone, the last ones." }),
    ),
    data: Type.Optional(Type.String({ description: "write, submit: text to send." })),
    eof: Type.Optional(Type.Boolean({ description: "write: close standard input after it." })),
    keys: Type.Optional(
      Type.Array(Type.String(), {
        description: "send-keys: enter, tab, esc, up, pgdn, f5, C-c, M-x, S-tab … or text.",
      }),
    ),
    hex: Type.Optional(Type.Array(Type.String(), { description: "send-keys: bytes in hexadecimal." })),
    literal: Type.Optional(
      Type.String({ description: "send-keys: text to type as it is, before hex and keys." }),
    ),
    text: Type.Optional(Type.String({ description: "paste: text." })),
    bracketed: Type.Optional(
      Type.Boolean({ description: "paste: mark it as a paste; by default when the program wants that." }),
    ),
    cols: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: "resize: columns." })),
    rows: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: "resize: rows." })),
  },
  { additionalProperties: false },
);

/** Arguments of a call of `process`. */
export type ProcessToolInput = Static<typeof processSchema>;

/** Options of the `process` tool. */
export interface ProcessToolOptions {
  /** Milliseconds for which ended commands are kept; 30 minutes by default, clamped to 1 minute – 3 hours. */
  cleanupMs?: number;
  /** Whose commands these are; those of the calling session by default. The same for `exec`. */
  scopeKey?: string;
  /** Silence after which a command that can read input seems to wait for some; 15 s by default, 1 s – 10 min. */
  inputWaitIdleMs?: number;
}

/** The `process` tool: follows, steers and ends the commands that `exec` left in the background. */
export function createProcessTool(
  options: ProcessToolOptions = {},
): Tool<typeof processSchema, ProcessToolDetails> {
  const inputWaitIdleMs = clamp(options.inputWaitIdleMs ?? DEFAULT_INPUT_WAIT_IDLE_MS, 1000, 10 * MINUTE);
  return defineTool<typeof processSchema, ProcessToolDetails>({
    name: "process",
    label: "Process",
    description:
      "Manage commands that run in the background: list, poll (new output, waits with timeout), log (lines of all " +
      "output), write, send-keys, submit, paste, resize, kill, clear (forget an ended one), remove (end and forget).",
    parameters: processSchema,
    effects: ["execute"],
    aliases: { sessionId: ["session_id", "session", "id"], timeout: ["timeoutMs"], cols: ["columns"] },
    groups: ["runtime"],
    progress: {
      volatileArguments: ["timeout"],
      volatileDetails: ["retryInMs"],
      isPoll: ({ action }) => LOOKING.includes(String(action)),
    },
    wantsPlan: ({ action }) => isInput(action),
    async plan(params, { workspace, sessionKey }) {
      const { action } = params;
      if (!isInput(action)) return { subjects: { action } };
      const session = await sessionBook(workspace, options.scopeKey ?? sessionKey).get(
        params.sessionId ?? "",
      );
      if (session?.isBackgrounded !== true || session.info.stdin !== "open") return { subjects: { action } };
      const { planInput } = await loadPlans();
      return planInput(workspace, session, { ...params, action });
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      const book = sessionBook(context.workspace, options.scopeKey ?? context.sessionKey);
      if (options.cleanupMs !== undefined) book.keepEndedMs = clamp(options.cleanupMs, MINUTE, 180 * MINUTE);
      await book.prune();
      const { action } = params;
      if (!ACTIONS.includes(action)) throw unknownAction(action);
      const result =
        action === "list"
          ? await listSessions(book, inputWaitIdleMs)
          : await act(book, { ...params, action }, inputWaitIdleMs, signal);
      return LOOKING.includes(action) ? { ...result, receipt: "none" } : result;
    },
  });
}

type SessionAction = Exclude<ProcessToolInput["action"], "list">;

async function act(
  book: SessionBook,
  params: ProcessToolInput & { action: SessionAction },
  inputWaitIdleMs: number,
  signal: AbortSignal,
): Promise<ToolResult<ProcessToolDetails>> {
  const session = await requireSession(book, params.sessionId);
  if (params.action !== "kill") requireBackgrounded(session);
  const { timeout, offset, limit, data, eof, keys, hex, literal, text, bracketed, cols, rows } = params;
  switch (params.action) {
    case "poll":
      return session.whilePolling(pollSession(session, { timeout, inputWaitIdleMs }, signal));
    case "log":
      return logSession(session, { offset, limit });
    case "write":
      return writeInput(session, { data, eof });
    case "send-keys":
      return sendKeys(session, { literal, hex, keys });
    case "submit":
      return submitInput(session, data);
    case "paste":
      return pasteText(session, { text, bracketed });
    case "resize":
      return resizeTerminal(session, { cols, rows });
    case "kill":
      return killSession(session);
    case "clear":
      return clearSession(book, session);
    case "remove":
      return removeSession(book, session);
  }
}

function unknownAction(action: string): HaftError {
  return commandToolError("UNKNOWN_ACTION", `Unknown action: ${action}`, {
    fix: `Use one of ${ACTIONS.join(", ")}.`,
  });
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
