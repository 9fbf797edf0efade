import {
  type AnyTool,
  definePlugin,
  HaftError,
  type Logger,
  type Plugin,
  type PluginDefinition,
  type PluginToolRegistration,
} from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import { adaptTool } from "./adapt-tool.ts";
import type { BridgeOptions } from "./bridge-options.ts";
import { callingModule } from "./calling-module.ts";
import { checkAdapterOptions, createBridgeError } from "./check-options.ts";
import { resolveEffects } from "./effects.ts";
import type { ForeignFactory, ForeignTool } from "./foreign-tool.ts";
import { sanitizeToolName, nameTools } from "./names.ts";

/**
 * Each tool has its own registration, so an unusable tool affects no other, and its reason is reported.
 *
 * @param bridge for messages: `fromAISDK`
 * @param more additional options of this bridge
 * @throws `BRIDGE_INVALID`
 */
export function makePlugin(
  bridge: string,
  tools: readonly ForeignTool[],
  options: BridgeOptions,
  { factories = [], more = [] }: { factories?: readonly ForeignFactory[]; more?: readonly string[] } = {},
): Plugin {
  const own = [...tools.map(({ name }) => name), ...factories.flatMap(({ names }) => names)];
  if (own.some((name) => typeof name !== "string" || name.trim() === ""))
    throw createBridgeError(
      `${bridge} was given a tool without a name.`,
      "Give each tool a name of its own.",
    );
  checkAdapterOptions(bridge, options, own, more);
  const names = nameTools(own, options.rename);
  const { id, name, version, replaces, source = callingModule() } = options;
  const registrations = [
    ...tools.map((tool) => ofTool(tool, names.get(tool.name)!, options)),
    ...factories.map((factory) => ofFactory(factory, names, options)),
  ];
  return definePlugin(
    withoutUndefined<PluginDefinition>({ id, name, version, replaces, source, tools: registrations }),
  );
}

function ofTool(tool: ForeignTool, name: string, options: BridgeOptions): PluginToolRegistration {
  return {
    names: [name],
    effects: resolveEffects(tool.name, options, tool.hints).effects,
    optional: isOptional(tool.name, tool.optional, options),
    // A tool with `isOffered` is evaluated for each session.
    scope: tool.isOffered === undefined ? "host" : "session",
    static: tool.isOffered === undefined,
    factory: async ({ logger }) => {
      if (tool.isOffered !== undefined && !(await tool.isOffered())) return null;
      tellEffects(tool, name, options, logger);
      return adaptTool(tool, name, options);
    },
  };
}

function ofFactory(
  { names, optional, make }: ForeignFactory,
  given: ReadonlyMap<string, string>,
  options: BridgeOptions,
): PluginToolRegistration {
  return {
    names: names.map((name) => given.get(name)!),
    effects: [...new Set(names.flatMap((name) => resolveEffects(name, options, undefined).effects))],
    optional: names.every((name) => isOptional(name, optional, options)),
    scope: "session",
    factory: async (context) => {
      const made = await make(context);
      const adapted = made.map(async (tool): Promise<AnyTool | undefined> => {
        const name = given.get(tool.name) ?? sanitizeToolName(tool.name);
        tellEffects(tool, name, options, context.logger);
        try {
          return await adaptTool(tool, name, options);
        } catch (thrown) {
          // The diagnostics report the only tool of a registration.
          if (made.length === 1 || !HaftError.is(thrown)) throw thrown;
          context.logger.warn(thrown.message, { plugin: options.id, tool: name });
          return undefined;
        }
      });
      return (await Promise.all(adapted)).filter((tool) => tool !== undefined);
    },
  };
}

function isOptional(name: string, own: boolean | undefined, { optional = own }: BridgeOptions): boolean {
  return Array.isArray(optional) ? own === true || optional.includes(name) : Boolean(optional);
}

/** Logs effects that the operator has not set. */
function tellEffects(tool: ForeignTool, name: string, options: BridgeOptions, logger: Logger): void {
  const { effects, source: saidBy } = resolveEffects(tool.name, options, tool.hints);
  if (saidBy === "operator" || tool.refused !== undefined) return;
  const taken =
    saidBy === "hint"
      ? `Only the tool itself says what ${name} does: ${effects.join(", ")}.`
      : `Nobody says what ${name} does, so it may do everything: ${effects.join(", ")}.`;
  logger.info(`${taken} Say it in the effects of the bridge.`, { plugin: options.id, tool: name });
}
