import { type Static, Type } from "@haft/plugin-sdk";
import { DEFAULT_TIMEOUT_SECONDS, DEFAULT_YIELD_MS } from "../defaults.ts";
import type { CommandNotice } from "./notify-exit.ts";

function choice<const Word extends string>(words: readonly Word[], more: object = {}) {
  return Type.Optional(Type.Unsafe<Word>({ type: "string", enum: [...words], ...more }));
}

/** For programs that know it; a model has no reason to be stricter than its operator. */
const UNTOLD = { "haft:unadvertised": true, description: "Can only be stricter than what is configured." };

/** The parameters of `exec`. */
export const execSchema = Type.Object(
  {
    command: Type.String({
      minLength: 1,
    }),
    workdir: Type.Optional(Type.String()),
    env: Type.Optional(
      // Type.Record writes patternProperties, which not every provider looks at.
      Type.Unsafe<Record<string, string>>({
        type: "object",
        additionalProperties: { type: "string" },
      }),
    ),
    yieldMs: Type.Optional(
      Type.Number({
        description: `${DEFAULT_YIELD_MS} by default.`,
      }),
    ),
    background: Type.Optional(
      Type.Boolean({
        description: "At once, its input open for process write.",
      }),
    ),
    timeoutSeconds: Type.Optional(
      Type.Number({
        minimum: 0,
        description: `${DEFAULT_TIMEOUT_SECONDS} by default, 0: never.`,
      }),
    ),
    pty: Type.Optional(Type.Boolean({ description: "On a terminal." })),
    elevated: Type.Optional(Type.Boolean({ description: "Where that is configured." })),
    outside: Type.Optional(
      Type.Boolean({
        description: "If contained: outside of the view of the host. A person decides.",
      }),
    ),
    reason: Type.Optional(
      Type.String({
        description: "Why, for that person.",
      }),
    ),
    network: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 20,
        description: "If contained: hosts it needs. A person decides.",
      }),
    ),
    forward: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: "If contained: port of its server, for a person's browser. A person decides.",
      }),
    ),
    host: choice(["auto", "sandbox", "gateway", "node"]),
    security: choice(["deny", "allowlist", "full"], UNTOLD),
    ask: choice(["off", "on-miss", "always"], UNTOLD),
    node: Type.Optional(Type.String({ description: "With host=node." })),
    title: Type.Optional(Type.String({ description: "For people." })),
  },
  { additionalProperties: false },
);

/** Arguments of a call of `exec`. */
export type ExecToolInput = Static<typeof execSchema>;

/** Options of the `exec` tool. */
export interface ExecToolOptions {
  /** Milliseconds a call waits when it does not say; 10,000 by default, clamped to 10–120,000. `never`: it waits to the end. */
  backgroundMs?: number | "never";
  /** Milliseconds a call waits at most, whatever it or `backgroundMs` says; 120,000 by default, which is the most there is. */
  longestWaitMs?: number;
  /**
   * The shell commands run in. `bash`, by default: bash where there is one, without its start files, and else `sh`, with a
   * line in the answer. `sh`: always that. `workspace`: the one that runs scripts there when nobody names one; it is read as
   * `sh`, and no answer says which it is.
   */
  shell?: "bash" | "sh" | "workspace";
  /** `false` where there is no `process` tool: every call then waits to the end. */
  allowBackground?: boolean;
  /** Seconds a command may run when the call does not say; 1,800 by default, 0 = no limit. */
  timeoutSec?: number;
  /** Whose commands these are; those of the calling session by default. The same for `process`. */
  scopeKey?: string;
  /** Told once of each background command that ends, unless the model already knows. */
  onExit?: (notice: CommandNotice) => void;
  /** Tell `onExit` also of commands that succeeded without any output; `false` by default. */
  notifyOnExitEmptySuccess?: boolean;
}
