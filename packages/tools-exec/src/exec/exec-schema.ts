import { type Static, Type } from "@haft/plugin-sdk";
import type { CommandNotice } from "./notify-exit.ts";

/** One of several words. */
function choice<const Word extends string>(words: readonly Word[], description: string) {
  return Type.Optional(Type.Unsafe<Word>({ type: "string", enum: [...words], description }));
}

/** The parameters of `exec`. */
export const execSchema = Type.Object(
  {
    command: Type.String({
      minLength: 1,
      description: "Command line for bash; for sh where there is no bash, and then the answer says so.",
    }),
    workdir: Type.Optional(
      Type.String({ description: "Folder to run in, relative to the workspace; its root by default. No ~." }),
    ),
    env: Type.Optional(
      // Type.Record writes patternProperties, which not every provider looks at.
      Type.Unsafe<Record<string, string>>({
        type: "object",
        additionalProperties: { type: "string" },
        description: "Environment variables to set, taken literally.",
      }),
    ),
    yieldMs: Type.Optional(
      Type.Number({
        description: "Milliseconds to wait before it goes on in the background (default 10000).",
      }),
    ),
    background: Type.Optional(
      Type.Boolean({
        description: "Go on in the background at once, with standard input open for process write.",
      }),
    ),
    timeoutSeconds: Type.Optional(
      Type.Number({
        minimum: 0,
        description: "End it after this time, also in the background (default 1800, 0 = never).",
      }),
    ),
    pty: Type.Optional(
      Type.Boolean({ description: "Run on a terminal: for REPLs, editors and programs that need one." }),
    ),
    elevated: Type.Optional(
      Type.Boolean({ description: "Run with elevated permissions, where that is configured." }),
    ),
    outside: Type.Optional(
      Type.Boolean({
        description:
          "Where commands are contained in a view of the host: run outside of it. A person decides.",
      }),
    ),
    reason: Type.Optional(
      Type.String({
        description: "With outside, network or forward: why, in one line, for that person.",
      }),
    ),
    network: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 20,
        description: "Where commands are contained: hosts it needs that it does not reach. A person decides.",
      }),
    ),
    forward: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description:
          "Where commands are contained: the port of the server it starts, for a person's browser while it runs. A person decides.",
      }),
    ),
    host: choice(
      ["auto", "sandbox", "gateway", "node"],
      "Where to run; auto is where this session runs commands.",
    ),
    security: choice(["deny", "allowlist", "full"], "Can only be stricter than what is configured."),
    ask: choice(["off", "on-miss", "always"], "Can only be stricter than what is configured."),
    node: Type.Optional(Type.String({ description: "Node to run on, with host=node." })),
    title: Type.Optional(Type.String({ description: "What it does in a few words, for people." })),
  },
  { additionalProperties: false },
);

/** The same for a host that has chosen another shell. */
export const execSchemaForSh: typeof execSchema = {
  ...execSchema,
  properties: {
    ...execSchema.properties,
    command: Type.String({ minLength: 1, description: "Shell command to run." }),
  },
};

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
