import { defineTool, requireKnownOptions, type Static, type Tool, Type } from "@haft/plugin-sdk";
import { DEFAULT_TIMEOUT_SECONDS, DEFAULT_YIELD_MS } from "../defaults.ts";
import { needsPolicyDecision } from "../plan/refuse-request.ts";
import type { ExecToolDetails } from "./exec-result.ts";
import type { ExecToolOptions } from "./exec-types.ts";

function choice<const Word extends string>(words: readonly Word[], more: object = {}) {
  return Type.Optional(Type.Unsafe<Word>({ type: "string", enum: [...words], ...more }));
}

/** For programs: models have no reason to be stricter than their operator. */
const UNTOLD = { "haft:unadvertised": true, description: "Can only be stricter than what is configured." };

/** The parameters of `exec`. */
export const execSchema = Type.Object(
  {
    command: Type.String({ minLength: 1 }),
    workdir: Type.Optional(Type.String()),
    env: Type.Optional(
      // Type.Record creates patternProperties, which some providers ignore.
      Type.Unsafe<Record<string, string>>({ type: "object", additionalProperties: { type: "string" } }),
    ),
    yieldMs: Type.Optional(Type.Number({ description: `${DEFAULT_YIELD_MS} by default.` })),
    background: Type.Optional(Type.Boolean({ description: "At once, its input open for process write." })),
    timeoutSeconds: Type.Optional(
      Type.Number({ minimum: 0, description: `${DEFAULT_TIMEOUT_SECONDS} by default, 0: never.` }),
    ),
    pty: Type.Optional(Type.Boolean({ description: "On a terminal." })),
    elevated: Type.Optional(Type.Boolean({ description: "Where that is configured." })),
    outside: Type.Optional(
      Type.Boolean({ description: "If contained: outside of the view of the host. A person decides." }),
    ),
    reason: Type.Optional(Type.String({ description: "Why, for that person." })),
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

export type ExecToolInput = Static<typeof execSchema>;

const IN_BASH = "Run a command in the workspace, in bash (sh where there is none).";
const IN_ANOTHER = "Run a shell command in the workspace.";
const DESCRIPTION =
  "Returns its output and exit code; after yieldMs it goes on in the background, " +
  "where process follows it. background is for servers, pty for interactive programs.";

export const EXEC_OPTIONS: Readonly<Record<keyof ExecToolOptions, true>> = {
  backgroundMs: true,
  longestWaitMs: true,
  shell: true,
  allowBackground: true,
  timeoutSec: true,
  scopeKey: true,
  onExit: true,
  notifyOnExitEmptySuccess: true,
};

const load = () => import("./exec-steps.ts");

/**
 * Creates the `exec` tool, which runs a shell command, and lets a long command continue in the background. A nonzero exit code is part of
 * the result.
 *
 * A call fails with `INVALID_ARGUMENTS`; with `COMMANDS_UNAVAILABLE` if the workspace has only files; with `EXEC_UNAVAILABLE` if it
 * requests another execution target, or anything that no policy decided; with `EXEC_SELF_APPROVAL`, `EDITOR_NEEDS_TERMINAL` or `ABORTED`;
 * or with a workspace error.
 *
 * @example
 * ```ts run
 * import { definePlugin } from "@haft/plugin-sdk";
 * import { createExecTool, createProcessTool } from "@haft/tools-exec";
 * const tools = [createExecTool({ backgroundMs: 3_000 }), createProcessTool()];
 * const plugin = definePlugin({ id: "shell", tools });
 * plugin.tools.length; // => 2
 * ```
 */
export function createExecTool(options: ExecToolOptions = {}): Tool<typeof execSchema, ExecToolDetails> {
  requireKnownOptions<ExecToolOptions>("createExecTool", options, EXEC_OPTIONS);
  return defineTool({
    name: "exec",
    label: "Exec",
    description: `${(options.shell ?? "bash") === "bash" ? IN_BASH : IN_ANOTHER} ${DESCRIPTION}`,
    parameters: execSchema,
    effects: ["execute"],
    aliases: {
      command: ["cmd"],
      workdir: ["cwd"],
      timeoutSeconds: ["timeout"],
      yieldMs: ["yield_ms"],
      background: ["run_in_background"],
    },
    groups: ["runtime"],
    progress: { volatileDetails: ["durationMs", "pid", "startedAt", "sessionId"] },
    wantsPlan: needsPolicyDecision,
    async plan(params, { workspace }) {
      const { requireCommand, resolveTargetWorkspace, planExec } = await load();
      requireCommand(params);
      const target = await resolveTargetWorkspace(params, workspace);
      return planExec(params, target, target !== workspace, options);
    },
    async execute(_toolCallId, params, signal, onUpdate, context) {
      const steps = await load();
      steps.requireCommand(params);
      const timing = steps.resolveTiming(params, options);
      const call = { params, signal, context, options, timing };
      const target = await steps.resolveTarget(call);
      const session = await steps.startCommand(call, target);
      if (!timing.background) {
        await steps.waitForCommand(target.book, session, { signal, onUpdate, patienceMs: timing.patienceMs });
        if (session.hasEnded) return steps.answerEnded(call, target, session);
      }
      session.isBackgrounded = true;
      steps.notifyExit(session, context.sessionKey, options);
      return steps.answerRunning(call, target, session);
    },
  });
}
