import {
  defineTool,
  requireKnownOptions,
  type Static,
  type Tool,
  type ToolResult,
  Type,
} from "@haft/plugin-sdk";
import { clamp, ENDED_RETENTION_MS, INPUT_IDLE_MS } from "../defaults.ts";
import type { CommandSession } from "../sessions/command-session.ts";
import { type SessionBook, sessionBook } from "../sessions/session-book.ts";
import { clearSession, killSession, removeSession } from "./end-session.ts";
import { listSessions } from "./list.ts";
import { logSession } from "./log.ts";
import { pollSession } from "./poll.ts";
import type { ProcessToolDetails } from "./process-details.ts";
import { resizeTerminal } from "./resize.ts";
import { pasteText, sendKeys, submitInput, writeInput } from "./send-input.ts";
import { requireBackgrounded, requireSession, unknownActionError } from "./session-errors.ts";

const ACTIONS = [
  "list", "poll", "log", "write", "send-keys", "submit", "paste", "kill", "clear", "remove", "resize",
] as const; // prettier-ignore
type Action = (typeof ACTIONS)[number];
const TYPING = ["write", "send-keys", "submit", "paste"] as const;
const isInput = (action: string): action is (typeof TYPING)[number] => TYPING.includes(action as never);
const READ_ONLY_ACTIONS: readonly string[] = ["list", "poll", "log"];

const UNTOLD = { "haft:unadvertised": true };

/** The parameters of `process`. */
export const processSchema = Type.Object(
  {
    action: Type.Unsafe<Action>({ type: "string", enum: [...ACTIONS] }),
    sessionId: Type.Optional(Type.String({ description: "All but list." })),
    timeout: Type.Optional(Type.Number({ description: "poll: milliseconds, at most 30000." })),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: "log: first line, from 0." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "log: lines; alone, the last." })),
    data: Type.Optional(Type.String({ description: "write, submit." })),
    eof: Type.Optional(Type.Boolean({ description: "write: end the input." })),
    keys: Type.Optional(
      Type.Array(Type.String(), {
        description: "send-keys: enter, esc, up, pgdn, f5, C-c, M-x, S-tab … or text.",
      }),
    ),
    hex: Type.Optional(
      Type.Array(Type.String(), { ...UNTOLD, description: "send-keys: bytes in hexadecimal." }),
    ),
    literal: Type.Optional(
      Type.String({ ...UNTOLD, description: "send-keys: text to type as it is, before hex and keys." }),
    ),
    text: Type.Optional(Type.String({ description: "paste." })),
    bracketed: Type.Optional(
      Type.Boolean({
        ...UNTOLD,
        description: "paste: mark it as a paste; by default when the program wants that.",
      }),
    ),
    cols: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    rows: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  },
  { additionalProperties: false },
);

export type ProcessToolInput = Static<typeof processSchema>;

const DESCRIPTION =
  "Manage background commands: list, poll (new output; waits timeout), log (all output), write, send-keys, submit " +
  "(Enter, or the end of input without a terminal), paste, resize (cols, rows), kill, clear (forget an ended one), remove (end and forget).";

/**
 * Configures {@link createProcessTool}.
 *
 * @example
 * ```ts
 * import type { ProcessToolOptions } from "@haft/tools-exec";
 * const options: ProcessToolOptions = { cleanupMs: 10 * 60_000, inputWaitIdleMs: 5_000 };
 * ```
 */
export interface ProcessToolOptions {
  /** Milliseconds for which ended commands remain listed. Default 30 minutes, limited to 1 minute – 3 hours. */
  cleanupMs?: number;
  /** Key of the owner. Default: the key of the calling session. `exec` needs the same. */
  scopeKey?: string;
  /** Milliseconds of silence after which a command that can read input counts as waiting for it. Default 15 s, limited to 1 s – 10 min. */
  inputWaitIdleMs?: number;
}

/**
 * Creates the `process` tool, which follows, controls and ends background commands of `exec`. It is not loaded lazily: a poll must be
 * registered before its command can end.
 *
 * A call fails with `PROCESS_NOT_FOUND`, `SESSION_BUSY`, `STDIN_CLOSED` or `INVALID_ARGUMENTS`; with `COMMANDS_UNAVAILABLE` if the
 * workspace has only files; with `ABORTED`; or with a workspace error.
 *
 * @example
 * ```ts run
 * import { createProcessTool } from "@haft/tools-exec";
 * const tool = createProcessTool({ cleanupMs: 60_000 });
 * tool.name; // => "process"
 * ```
 */
export function createProcessTool(
  options: ProcessToolOptions = {},
): Tool<typeof processSchema, ProcessToolDetails> {
  requireKnownOptions<ProcessToolOptions>("createProcessTool", options, {
    cleanupMs: true,
    scopeKey: true,
    inputWaitIdleMs: true,
  });
  return defineTool<typeof processSchema, ProcessToolDetails>({
    name: "process",
    label: "Process",
    description: DESCRIPTION,
    parameters: processSchema,
    effects: ["execute"],
    aliases: { sessionId: ["session_id", "session", "id"], timeout: ["timeoutMs"], cols: ["columns"] },
    groups: ["runtime"],
    progress: {
      volatileArguments: ["timeout"],
      volatileDetails: ["retryInMs"],
      isPoll: ({ action }) => READ_ONLY_ACTIONS.includes(String(action)),
    },
    wantsPlan: ({ action }) => isInput(action),
    async plan(params, { workspace, sessionKey }) {
      const { action } = params;
      if (!isInput(action)) return { subjects: { action } };
      const book = sessionBook(workspace, options.scopeKey ?? sessionKey);
      const session = await book.get(params.sessionId ?? "");
      if (session?.isBackgrounded !== true || session.info.stdin !== "open") return { subjects: { action } };
      const { planInput } = await import("../plan/plan-input.ts");
      return planInput(book.findBook(session).workspace, session, { ...params, action });
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      const inputWaitIdleMs = clamp(options.inputWaitIdleMs ?? INPUT_IDLE_MS.default, INPUT_IDLE_MS);
      const book = sessionBook(context.workspace, options.scopeKey ?? context.sessionKey);
      if (options.cleanupMs !== undefined)
        book.endedRetentionMs = clamp(options.cleanupMs, ENDED_RETENTION_MS);
      await book.prune();
      const { action, sessionId } = params;
      if (!ACTIONS.includes(action)) throw unknownActionError(action, ACTIONS);
      if (action === "list") return { ...(await listSessions(book, inputWaitIdleMs)), receipt: "none" };
      const session = await requireSession(book, sessionId);
      if (action !== "kill") requireBackgrounded(session);
      const result = await SESSION_ACTIONS[action](session, params, { book, inputWaitIdleMs, signal });
      return READ_ONLY_ACTIONS.includes(action) ? { ...result, receipt: "none" } : result;
    },
  });
}

type SessionAction = (
  session: CommandSession,
  params: ProcessToolInput,
  call: { book: SessionBook; inputWaitIdleMs: number; signal: AbortSignal },
) => Promise<ToolResult<ProcessToolDetails>>;

const SESSION_ACTIONS: Readonly<Record<Exclude<Action, "list">, SessionAction>> = {
  poll: (session, { timeout }, { inputWaitIdleMs, signal }) =>
    session.whilePolling(pollSession(session, { timeout, inputWaitIdleMs }, signal)),
  log: logSession,
  write: writeInput,
  "send-keys": sendKeys,
  submit: (session, { data }) => submitInput(session, data),
  paste: pasteText,
  kill: killSession,
  clear: (session, _params, { book }) => clearSession(book, session),
  remove: (session, _params, { book }) => removeSession(book, session),
  resize: resizeTerminal,
};
