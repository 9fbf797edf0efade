import { type Static, Type } from "@haft/plugin-sdk";

export const ACTIONS = [
  "list", "poll", "log", "write", "send-keys", "submit", "paste", "kill", "clear", "remove", "resize",
] as const; // prettier-ignore
/** Those that type something. */
const TYPING = ["write", "send-keys", "submit", "paste"] as const;
export const isInput = (action: string): action is (typeof TYPING)[number] =>
  TYPING.includes(action as never);
/** Those that only look. */
export const LOOKING: readonly string[] = ["list", "poll", "log"];

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
        description: "send-keys: enter, tab, esc, up, pgdn, f5, C-c, M-x, S-tab … or text; each an entry.",
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
