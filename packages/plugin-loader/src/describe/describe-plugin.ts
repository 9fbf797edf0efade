import {
  type AnyTool,
  type Logger,
  getErrorMessage,
  type Plugin,
  type PluginToolRegistration,
} from "@haft/core";
import {
  checkPlugin,
  checkTool,
  hostContext,
  findSchemaSnapshot,
  PLUGIN_KEYS,
  readSchema,
} from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";

/**
 * Explains why a plugin is unusable.
 *
 * @example
 * ```ts
 * import type { PluginReport } from "@haft/plugin-loader";
 * declare const report: PluginReport;
 * if (report.problem?.code === "PLUGIN_NOT_FOUND") console.error(report.problem.message, report.problem.fix);
 * ```
 */
export interface PluginProblem {
  /** Names the problem, for programs. */
  code:
    | "PLUGIN_NOT_FOUND"
    | "PLUGIN_UNLOADABLE"
    | "PLUGIN_INVALID"
    | "PLUGIN_CHANGED"
    | "PLUGIN_CONFIG_INVALID"
    | "MANIFEST_WRONG"
    | "CONTRACT_UNKNOWN";
  /** Explains in one sentence. */
  message: string;
  /** Contains the next step for a person. */
  fix: string;
}

/** Describes a static tool as data. */
export interface DescribedTool extends Omit<AnyTool, "plan" | "wantsPlan" | "execute"> {
  /** States whether it has `plan`. */
  plans: boolean;
  /** States whether it has `wantsPlan`. */
  wantsPlan: boolean;
  /** Set if a function checks its arguments in addition to JSON Schema. */
  judges?: true;
}

export interface DescribedRegistration extends Omit<PluginToolRegistration, "factory"> {
  scope: "host" | "session";
  /** Lists its tools if they are the same in every session. Else its factory makes them. */
  tools?: readonly DescribedTool[];
}

/**
 * Describes a plugin as data, as its trial found it.
 *
 * @example
 * ```ts
 * import type { DescribedPlugin } from "@haft/plugin-loader/internal/plugins";
 * const listNames = ({ registrations }: DescribedPlugin) => registrations.flatMap(({ names }) => names);
 * ```
 */
export interface DescribedPlugin extends Pick<
  Plugin,
  "id" | "name" | "version" | "contract" | "replaces" | "hosts" | "config" | "configSchema"
> {
  /** Lists registrations of tools in order. */
  registrations: readonly DescribedRegistration[];
  /** Names the library that checks its configuration instead of JSON Schema. */
  configLibrary?: string;
  /** Set if it has a function `setup`. */
  setsUp?: true;
  /** Set if it has a function `dispose`. */
  disposes?: true;
}

export interface SoundPlugin {
  plugin: Plugin;
  described: DescribedPlugin;
  tools: ReadonlyMap<string, AnyTool>;
  notes: readonly string[];
}

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export async function describePlugin(
  module: Readonly<Record<string, unknown>>,
  name: string,
): Promise<SoundPlugin | PluginProblem> {
  const value = defaultOf(module);
  if (value === undefined) return noDefault(module, name);
  const plugin = value as Plugin;
  const check = checkPlugin(plugin, `The default export of ${name}`);
  if ("problem" in check) {
    const { problem, code = "PLUGIN_INVALID", fix = "Report it to the plugin's author." } = check;
    return { code, message: problem, fix };
  }
  const tools = new Map<string, AnyTool>();
  const registrations: DescribedRegistration[] = [];
  const notes: string[] = [];
  for (const { registration, names, scope } of check.entries) {
    const { effects, hosts, optional, channels, static: isStatic } = registration;
    const described = isStatic === true ? await finishedTools(registration) : undefined;
    for (const [tool, one] of described ?? []) {
      if (names.includes(one.name)) tools.set(one.name, tool);
    }
    registrations.push(
      withoutUndefined({
        names,
        effects,
        hosts,
        optional,
        channels,
        scope,
        tools: described?.map(([, one]) => one),
      }),
    );
  }
  notes.push(...unreadKeys(plugin));
  const { id, name: title, version, contract, replaces, hosts, setup, dispose } = plugin;
  const configuration = describeConfig(plugin);
  if ("message" in configuration) return configuration;
  const setsUp = setup === undefined ? undefined : (true as const);
  const disposes = dispose === undefined ? undefined : (true as const);
  const facts = { id, name: title, version, contract, replaces, hosts, setsUp, disposes };
  return {
    plugin,
    described: withoutUndefined<DescribedPlugin>({ ...facts, ...configuration, registrations }),
    tools,
    notes,
  };
}

/** Compilers nest `export default` deeper in CommonJS. */
function defaultOf({ default: value }: Readonly<Record<string, unknown>>): unknown {
  const isCompiled =
    typeof value === "object" && value !== null && "__esModule" in value && "default" in value;
  return isCompiled ? value.default : value;
}

function noDefault(module: Readonly<Record<string, unknown>>, name: string): PluginProblem {
  const isPlugin = (value: unknown) => !("problem" in checkPlugin(value as Plugin, ""));
  const meant = Object.keys(module).filter((key) => isPlugin(module[key]));
  const exported = Object.keys(module);
  const has =
    exported.length === 0 ? "exports nothing" : `has no default export, only ${exported.join(", ")}`;
  const message = `${name} ${has}.`;
  const fix = `Its author writes export default ${meant.length === 1 ? meant[0] : "definePlugin({ … })"}.`;
  return { code: "PLUGIN_INVALID", message, fix };
}

/** Returns `undefined` if the tools cannot be data; a session then makes them. */
async function finishedTools(
  registration: PluginToolRegistration,
): Promise<[AnyTool, DescribedTool][] | undefined> {
  let made: unknown;
  try {
    made = await registration.factory(hostContext(undefined, SILENT, new AbortController().signal));
  } catch {
    return undefined;
  }
  const described: [AnyTool, DescribedTool][] = [];
  for (const candidate of Array.isArray(made) ? made : [made]) {
    const { tool } = checkTool(candidate);
    const one = tool && describeTool(tool);
    // The registry reports its problem.
    if (tool === undefined || one === undefined) return undefined;
    described.push([tool, one]);
  }
  return described;
}

export function describeTool(tool: AnyTool): DescribedTool | undefined {
  // `isPoll` must run for each call.
  if (typeof tool.progress?.isPoll === "function") return undefined;
  const plans = tool.plan !== undefined;
  const wantsPlan = tool.wantsPlan !== undefined;
  const judges = findSchemaSnapshot(tool.parameters as object)?.validate === undefined ? undefined : true;
  try {
    return JSON.parse(JSON.stringify({ ...tool, plans, wantsPlan, judges })) as DescribedTool;
  } catch {
    return undefined;
  }
}

/** Limits a configuration in code, in characters. */
const LARGEST_CONFIG = 256 * 1024;

function describeConfig({
  id,
  config,
  configSchema,
}: Plugin): Pick<DescribedPlugin, "config" | "configSchema" | "configLibrary"> | PluginProblem {
  if (configSchema === undefined) return {};
  try {
    const read = readSchema(configSchema, "configSchema");
    if ("problem" in read) throw new Error(read.problem);
    const json = JSON.stringify(config);
    if ((json?.length ?? 0) > LARGEST_CONFIG)
      throw new Error(`it has more than ${LARGEST_CONFIG} characters`);
    return withoutUndefined({
      configSchema: read.schema,
      configLibrary: read.validate && vendorOf(configSchema),
      config: json === undefined ? undefined : (JSON.parse(json) as unknown),
    });
  } catch (thrown) {
    return {
      code: "PLUGIN_INVALID",
      message: `Plugin "${id}" has a config that cannot be written as JSON: ${getErrorMessage(thrown)}.`,
      fix: "Use only values of JSON: text, numbers, booleans, lists and objects.",
    };
  }
}

function vendorOf(schema: object): string {
  const { vendor } = (schema as { "~standard": { vendor?: unknown } })["~standard"];
  return typeof vendor === "string" && vendor !== "" ? vendor : "another library";
}

const READ: ReadonlySet<string> = new Set([...PLUGIN_KEYS, "apiVersion"]);

function unreadKeys(plugin: Plugin): string[] {
  const unread = Object.keys(plugin).filter((key) => !READ.has(key));
  return unread.length === 0
    ? []
    : [`Nobody reads ${unread.map((key) => JSON.stringify(key)).join(", ")} of it.`];
}
