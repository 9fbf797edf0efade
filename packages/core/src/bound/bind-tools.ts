import { withoutUndefined, isObject } from "@haft/utils";
import { HaftError } from "../contract/errors.ts";
import type { Workspace } from "../contract/ports.ts";
import { contentToText, type ToolOutcome, type ToolResult } from "../contract/result.ts";
import type { AnyTool, PlanContext, ToolContext } from "../contract/tool.ts";
import { requireKnownOptions } from "../parameters/check-options.ts";
import type {
  Bound,
  BoundCallOptions,
  BoundOutcome,
  BoundTarget,
  BoundTool,
  BoundTools,
} from "./bound-tool.ts";
import type { PrivateCalls } from "./private-calls.ts";

/**
 * Binds tools to a workspace, without host, policy or session. The first call opens the workspace.
 *
 * @throws HaftError `INVALID_OPTIONS` for an unknown option of `target`
 *
 * @example
 * ```ts run
 * import { defineTool, text, Type } from "@haft/plugin-sdk";
 * import { bindTools } from "@haft/core/kernel";
 * import { createMemoryWorkspace } from "@haft/plugin-sdk/testing";
 *
 * const list = defineTool({
 *   name: "list",
 *   description: "Lists a folder.",
 *   parameters: Type.Object({ path: Type.String() }),
 *   effects: ["read"],
 *   async execute(_toolCallId, { path }, _signal, _onUpdate, { workspace }) {
 *     const { entries } = await workspace.fs.list(path);
 *     return { content: [text(entries.map(({ name }) => name).join("\n"))], details: {} };
 *   },
 * });
 * const workspace = createMemoryWorkspace({ files: { "a.txt": "one" } });
 * const bound = bindTools({ list }, { workspace: () => workspace });
 * const { kind, content } = await bound.tools.list.call({ path: "." });
 * [kind, content]; // => ["ok", [{ type: "text", text: "a.txt" }]]
 * await bound.close();
 * ```
 */
export function bindTools<const Tools extends Readonly<Record<string, AnyTool>>>(
  tools: Tools,
  target: BoundTarget,
): Bound<Tools> {
  requireKnownOptions<BoundTarget>("bindTools", target, {
    workspace: true,
    kind: true,
    model: true,
    close: true,
  });
  let calls: Promise<PrivateCalls> | undefined;
  const load = () =>
    (calls ??= import("./private-calls.ts").then(
      ({ PrivateCalls }) => new PrivateCalls(Object.values(tools), target),
    ));
  const bound = Object.entries(tools).map(([name, tool]) => [name, bind(tool, target, load)] as const);
  return {
    tools: Object.fromEntries(bound) as unknown as BoundTools<Tools>,
    close: async () => (await load()).close(),
  };
}

function bind(tool: AnyTool, target: BoundTarget, load: () => Promise<PrivateCalls>): BoundTool {
  const { name, label = name } = tool;
  const inTarget = async <Context extends PlanContext>(context: Context) =>
    contextIn(context, await target.workspace());
  const run = async (id: string | undefined, args: unknown, options: BoundCallOptions) =>
    (await load()).call(id, name, args, options) as Promise<BoundOutcome>;
  return {
    ...tool,
    label,
    ...(tool.wantsPlan && {
      wantsPlan: async (args, context) => tool.wantsPlan?.(args, await inTarget(context)) ?? false,
    }),
    ...(tool.plan && {
      plan: async (args, context, signal) => tool.plan?.(args, await inTarget(context), signal),
    }),
    // Untyped callers pass null.
    call: (args, options) => run(undefined, args, options ?? {}),
    async execute(id, args, signal, onUpdate, context) {
      if (isObject(context))
        return tool.execute(
          id,
          args,
          signal ?? new AbortController().signal,
          onUpdate,
          await inTarget(context),
        ) as Promise<ToolResult>;
      const outcome = await run(id, args, {
        ...(signal ? { signal } : {}),
        ...(onUpdate ? { onUpdate } : {}),
      });
      if (outcome.kind !== "ok") throw errorOf(outcome);
      const { content, details, receipt } = outcome;
      return { content, details, receipt };
    },
  };
}

function contextIn<Context extends PlanContext & { consent?: ToolContext["consent"] }>(
  context: Context,
  workspace: Workspace,
): Context {
  const { consent } = context;
  const agreed = consent === undefined ? workspace : (workspace.withConsent?.(consent) ?? workspace);
  return new Proxy(context, {
    get: (from, key) => (key === "workspace" ? agreed : (Reflect.get(from, key, from) as unknown)),
  });
}

/** Puts the whole text in the message, since most frameworks show only that. */
function errorOf(outcome: Exclude<ToolOutcome, { kind: "ok" }>): HaftError {
  const { code, kind, content, details, receipt } = outcome;
  const { fix } = details;
  const category = kind === "error" ? outcome.category : kind === "blocked" ? "policy" : "operational";
  const message = contentToText(content).replace(/^(?:Error|Blocked): /, "");
  return new HaftError(
    code,
    message,
    withoutUndefined({ category, fix: typeof fix === "string" ? fix : undefined, details, receipt }),
  );
}
