import { type Plugin, contentToText } from "@haft/core";
import { asRecord } from "@haft/utils";
import { fromAgentTool } from "../incoming/agent-tool.ts";
import type { BridgeOptions } from "../incoming/bridge-options.ts";
import { createBridgeError, requireId } from "../incoming/check-options.ts";
import type { ForeignCall, ForeignTool } from "../incoming/foreign-tool.ts";
import { type ApiRegistrations, hostApi, createMissingApi } from "../incoming/host-api.ts";
import { loadWithTimeout } from "../incoming/load-with-timeout.ts";
import { makePlugin } from "../incoming/make-plugin.ts";

/** An extension of pi: a function that receives `pi` and registers tools there. */
export type PiExtension = (pi: never) => unknown;

/**
 * Options of {@link fromPi}.
 *
 * @example
 * ```ts
 * import type { PiOptions } from "@haft/adapters/pi";
 * const options: PiOptions = { id: "todo", effects: ["write"], flags: { "todo-file": "TODO.md", verbose: true } };
 * ```
 */
export interface PiOptions extends BridgeOptions {
  /** Flags that extensions read (`pi.getFlag`), by name. */
  flags?: Readonly<Record<string, string | boolean>>;
}

/**
 * Makes a plugin of tools of the coding agent pi: tool definitions, extensions that register tools, or a list of both.
 *
 * An extension runs once, immediately, for at most ten seconds. Event handlers, commands, shortcuts and renderers do not run, and tools
 * that it registers later are missed. Tools receive a context without user interface; every property except `cwd`, `signal` and
 * `executeTool`, which calls another tool of the session, fails when it is used.
 *
 * @throws `BRIDGE_INVALID` for invalid tools, extensions or options; errors of an extension
 *
 * @example
 * ```ts run
 * import { fromPi } from "@haft/adapters/pi";
 * const dice = {
 *   name: "dice",
 *   label: "Dice",
 *   description: "Rolls a die.",
 *   parameters: { type: "object", properties: {} },
 *   execute: async () => ({ content: [{ type: "text", text: String(Math.ceil(Math.random() * 6)) }], details: {} }),
 * };
 * export default await fromPi(dice, { id: "dice", effects: [] });
 * ```
 */
export async function fromPi(
  from: PiExtension | object | readonly (PiExtension | object)[],
  options: PiOptions,
): Promise<Plugin> {
  requireId("fromPi", options);
  const sources: readonly unknown[] = Array.isArray(from) ? from : [from];
  const tools: ForeignTool[] = [];
  for (const source of sources) {
    const made = await toolsOf(source, options);
    tools.push(...made.map((tool) => fromAgentTool(tool, toolContext)));
  }
  return makePlugin("fromPi", tools, options, { more: ["flags"] });
}

async function toolsOf(given: unknown, options: PiOptions): Promise<unknown[]> {
  // Accepts an imported module.
  const source = (given as { default?: unknown } | null | undefined)?.default ?? given;
  if (typeof source === "function") return toolsOfExtension(source as (pi: unknown) => unknown, options);
  if (typeof source === "object" && source !== null && "execute" in source) return [source];
  throw createBridgeError(
    "fromPi was given something that is no tool and no extension.",
    "Give it what defineTool makes, or the default export of an extension: a function that is given pi.",
  );
}

async function toolsOfExtension(
  extension: (pi: unknown) => unknown,
  { flags = {} }: PiOptions,
): Promise<unknown[]> {
  const tools = new Map<unknown, unknown>();
  const { api, asked } = hostApi("pi", {
    // As in pi, the last tool of a name wins.
    registerTool: (tool: unknown) => void tools.set(asRecord(tool)["name"], tool),
    getFlag: (name: string) => (Object.hasOwn(flags, name) ? flags[name] : undefined),
    getActiveTools: () => [...tools.keys()],
    getAllTools: () => [...tools.values()],
    events: { emit() {}, on: () => () => {} },
  });
  await loadWithTimeout("The extension of pi", () => extension(api));
  if (tools.size === 0) throw noTools(asked);
  return [...tools.values()];
}

function noTools({ names }: ApiRegistrations): Error {
  const others = names.size === 0 ? "nothing at all" : [...names].slice(0, 10).join(", ");
  return createBridgeError(
    `The extension of pi registers no tool while it is loaded. It asks for: ${others}.`,
    "Only tools can be had here; tools that an event handler registers later cannot.",
  );
}

/** Without user interface and other parts of pi's sessions. */
function toolContext({ toolCallId, signal, context }: ForeignCall): object {
  const parts = {
    cwd: context.workspace.describe().cwd,
    mode: "print",
    hasUI: false,
    ui: NO_UI,
    signal,
    model: undefined,
    tools: [],
    isIdle: () => false,
    hasPendingMessages: () => false,
    abort() {},
    shutdown() {},
    async executeTool(name: string, args: unknown) {
      const outcome = await context.call(name, args);
      const { content, details, durationMs, kind } = outcome;
      const isError = kind !== "ok";
      return {
        toolCall: { type: "toolCall", id: `${toolCallId}/1`, name, arguments: args },
        result: {
          content: isError ? [{ type: "text", text: contentToText(content) }] : content,
          details,
          isError,
        },
        isError,
        durationMs,
      };
    },
  };
  return new Proxy(parts, {
    get: (target, key, receiver): unknown =>
      typeof key === "symbol" || key === "then" || key in target
        ? Reflect.get(target, key, receiver)
        : createMissingApi("pi", `ctx.${key}`),
  });
}

/** As in pi without a terminal: dialogs return no answer. */
const NO_UI: object = new Proxy(
  { confirm: async () => false },
  {
    get: (target, key, receiver): unknown =>
      key in target ? Reflect.get(target, key, receiver) : () => undefined,
  },
);
