import type { Plugin, PluginToolContext } from "@haft/core";
import { fromAgentTool } from "../incoming/agent-tool.ts";
import type { BridgeOptions } from "../incoming/bridge-options.ts";
import { createBridgeError } from "../incoming/check-options.ts";
import type { ForeignFactory, ForeignTool } from "../incoming/foreign-tool.ts";
import { hostApi } from "../incoming/host-api.ts";
import { loadWithTimeout } from "../incoming/load-with-timeout.ts";
import { makePlugin } from "../incoming/make-plugin.ts";

/**
 * Options of {@link fromOpenClaw}.
 *
 * @example
 * ```ts
 * import type { OpenClawOptions } from "@haft/adapters/openclaw";
 * const options: OpenClawOptions = { id: "tickets", config: { board: "infra" }, names: ["ticket_list"] };
 * ```
 */
export interface OpenClawOptions extends Omit<BridgeOptions, "id"> {
  /** Id of the plugin. Default: the plugin's own id. */
  id?: string;
  /** Configuration (`api.pluginConfig`). The plugin's schema validates it and may add defaults. */
  config?: Readonly<Record<string, unknown>>;
  /** Names of the factories' tools, if the plugin does not declare them: `contracts.tools` of its manifest. */
  names?: readonly string[];
}

interface Entry {
  id?: unknown;
  name?: unknown;
  version?: unknown;
  configSchema?: unknown;
  register?: unknown;
  activate?: unknown;
}

/**
 * Makes a plugin of a tool plugin of OpenClaw: the result of `defineToolPlugin` or `definePluginEntry`, or a function `register(api)`. A
 * factory receives the session's facts, as in OpenClaw. Hooks, services, commands, channels and providers have no effect, and a call of
 * OpenClaw's runtime fails with an explanation.
 *
 * @throws `BRIDGE_INVALID` for an invalid plugin or unknown options; errors of the plugin
 *
 * @example
 * ```ts
 * import { fromOpenClaw } from "@haft/adapters/openclaw";
 * declare function register(api: { registerTool: (tool: object) => void }): void; // of an OpenClaw plugin
 * export default await fromOpenClaw(register, { id: "tickets", effects: { ticket_list: ["read"] } });
 * ```
 */
export async function fromOpenClaw(
  plugin: object | ((api: never) => unknown),
  options: OpenClawOptions = {},
): Promise<Plugin> {
  const entry = entryOf(plugin);
  const {
    config = {},
    names: declared = [],
    id = ownText(entry.id),
    name = ownText(entry.name),
    ...given
  } = options;
  const collected = collector();
  const { api, asked } = hostApi("OpenClaw", {
    ...collected.api,
    id,
    name,
    source: "",
    rootDir: "",
    registrationMode: "full",
    config: {},
    pluginConfig: checkedConfig(entry, config),
    logger: SILENT,
    resolvePath: (path: string) => path,
  });
  await loadWithTimeout(`The plugin ${id ?? "of OpenClaw"}`, () => entry.register(api));
  if (collected.tools.length === 0) {
    const others = [...asked.names].slice(0, 10).join(", ") || "nothing at all";
    throw createBridgeError(
      `The plugin ${id ?? "of OpenClaw"} registers no tool. It asks for: ${others}.`,
      "Only tools can be had here.",
    );
  }
  const bridge = { ...given, ...(name !== undefined && { name }), id: id as string };
  const tools = collected.tools.filter(({ factory }) => factory === undefined);
  const factories = collected.tools.flatMap((one) =>
    one.factory === undefined ? [] : [factoryOf(one, bridge, declared)],
  );
  const finished = tools.map(({ tool, optional }) => ({ ...foreignTool(tool), optional }));
  return makePlugin("fromOpenClaw", finished, bridge, { factories });
}

/** OpenClaw also checks it before the plugin runs. */
function checkedConfig({ configSchema }: Entry, config: Readonly<Record<string, unknown>>): unknown {
  const schema = configSchema as { safeParse?: unknown } | undefined;
  if (typeof schema?.safeParse !== "function") return config;
  const parsed = (schema.safeParse as (value: unknown) => Parsed).call(schema, config);
  if (parsed.success) return parsed.data;
  const issues = parsed.error?.issues ?? [];
  const problems = issues.map(({ path = [], message }) =>
    [path.join("."), message].filter(Boolean).join(": "),
  );
  throw createBridgeError(
    `The plugin refuses its configuration: ${problems.join("; ") || "it does not say why"}`,
    "Correct config of the bridge.",
  );
}

interface Parsed {
  success: boolean;
  data?: unknown;
  error?: { issues?: readonly { path?: readonly PropertyKey[]; message: string }[] };
}

function foreignTool(tool: unknown): ForeignTool {
  // OpenClaw's distinction of success and failure.
  const hasFailed = ({ status }: Record<string, unknown>) => status === "error" || status === "timeout";
  return fromAgentTool(tool, () => undefined, hasFailed);
}

function factoryOf(
  { factory, names, optional }: Collected,
  options: BridgeOptions,
  declared: readonly string[],
): ForeignFactory {
  const known = names.length > 0 ? names : declared;
  if (known.length === 0)
    throw createBridgeError(
      `The plugin ${options.id} registers a factory without the names of its tools.`,
      'Say them, as contracts.tools of its manifest does: fromOpenClaw(plugin, { names: ["quote"] }).',
    );
  return {
    names: known,
    optional,
    async make(context) {
      const made: unknown = await factory!(toolContext(context));
      const list = Array.isArray(made)
        ? (made as unknown[])
        : made === null || made === undefined
          ? []
          : [made];
      return list.map((tool) => foreignTool(tool));
    },
  };
}

/** The known part of OpenClaw's context for factories. */
function toolContext(context: PluginToolContext): object {
  const { workspaceDir, agentDir, agentId, sessionKey, messageChannel, sandboxed } = context;
  const facts = { workspaceDir, agentDir, agentId, sessionKey, messageChannel, sandboxed };
  return { ...facts, config: {}, runtimeConfig: {} };
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

function entryOf(plugin: unknown): Entry & { register: (api: unknown) => unknown } {
  const given = (plugin as { default?: unknown } | null | undefined)?.default ?? plugin;
  if (typeof given === "function") return { register: given as (api: unknown) => unknown };
  const entry = given as Entry | undefined;
  const { register = entry?.activate } = entry ?? {};
  if (typeof register !== "function")
    throw createBridgeError(
      "fromOpenClaw was given something that is no plugin of OpenClaw.",
      "Give it the default export of its module: what defineToolPlugin or definePluginEntry makes, or register(api).",
    );
  return { ...entry, register: register.bind(entry) as (api: unknown) => unknown };
}

function ownText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A registered tool or factory. */
interface Collected {
  tool?: unknown;
  factory?: (context: unknown) => unknown;
  /** Names that the factory declares. */
  names: readonly string[];
  optional: boolean;
}

interface RegisterOptions {
  name?: unknown;
  names?: unknown;
  optional?: unknown;
}

/** The part of OpenClaw's API that takes tools. */
function collector(): {
  tools: Collected[];
  api: { registerTool: (tool: unknown, options?: RegisterOptions) => void };
} {
  const tools: Collected[] = [];
  return {
    tools,
    api: {
      registerTool(given, options = {}) {
        const optional = options?.optional === true;
        const names = namesOf(options ?? {});
        if (typeof given === "function")
          tools.push({ factory: given as (context: unknown) => unknown, names, optional });
        else if (typeof given === "object" && given !== null) tools.push({ tool: given, names, optional });
        else
          throw createBridgeError(
            "The plugin registers something that is no tool.",
            "Report it to its author.",
          );
      },
    },
  };
}

function namesOf({ name, names }: RegisterOptions): string[] {
  const all: unknown[] = [name, ...(Array.isArray(names) ? (names as unknown[]) : [])];
  return [...new Set(all.filter((each): each is string => typeof each === "string" && each !== ""))];
}
