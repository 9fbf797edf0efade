import { type Static, Type } from "@haft/plugin-sdk";

export const ACTIONS = [
  "list", "poll", "log", "write", "send-keys", "submit", "paste", "kill", "clear", "remove", "resize",
] as const; // prettier-ignore
const TYPING = ["write", "send-keys", "submit", "paste"] as const;
export const isInput = (action: string): action is (typeof TYPING)[number] =>
  TYPING.includes(action as never);
export const READ_ONLY_ACTIONS: readonly string[] = ["list", "poll", "log"];

/** The parameters of `process`. */
export const processSchema = Type.Object(
  {
    action: Type.Unsafe<(typeof ACTIONS)[number]>({
      type: "string",
      enum: [...ACTIONS],
    }),
    sessionId: Type.Optional(Type.String({ description: "All but list." })),
    timeout: Type.Optional(
      Type.Number({
        description: "poll: milliseconds, at most 30000.",
      }),
    ),
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
      Type.Array(Type.String(), {
        "haft:unadvertised": true,
        description: "send-keys: bytes in hexadecimal.",
      }),
    ),
    literal: Type.Optional(
      Type.String({
        "haft:unadvertised": true,
        description: "send-keys: text to type as it is, before hex and keys.",
      }),
    ),
    text: Type.Optional(Type.String({ description: "paste." })),
    bracketed: Type.Optional(
      Type.Boolean({
        "haft:unadvertised": true,
        description: "paste: mark it as a paste; by default when the program wants that.",
      }),
    ),
    cols: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
    rows: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
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
