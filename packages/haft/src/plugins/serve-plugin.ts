import {
  type AnyTool,
  CONTRACT_VERSION,
  HaftError,
  messageOf,
  type Plugin,
  type PluginToolContext,
  type PluginToolFactory,
  type PluginToolRegistration,
  withoutUndefined,
} from "@haft/core";
import type { PlacedPlugin } from "../config/placed-plugins.ts";
import { hostError } from "../errors.ts";
import type { DescribedRegistration, DescribedTool, SoundPlugin } from "./describe-plugin.ts";
import { changed, loadTried, sameTool, type TriedPlugin } from "./load-tried.ts";
import type { LateFailure } from "./plugin-record.ts";

/** A plugin that is offered as it is known, and loaded when it is needed. */
export interface ServedPlugin {
  plugin: Plugin;
  /** Whether it has been loaded into this process. */
  isLoaded(): boolean;
}

/**
 * The plugin of a record. Its finished tools are offered as they were tried, and it is loaded when one of them is called
 * or has to plan a call; its factories load it when a session opens that may have their tools.
 *
 * @param onLate told of everything that goes wrong from now on
 */
export function servePlugin(
  placed: PlacedPlugin,
  record: TriedPlugin,
  onLate: (failure: Omit<LateFailure, "at">) => void,
): ServedPlugin {
  const { id, name, version, registrations, replaces = [] } = record.plugin;
  let loading: Promise<SoundPlugin> | undefined;
  let isLoaded = false;
  const load = (): Promise<SoundPlugin> =>
    (loading ??= loadTried(placed, record).then((sound) => {
      isLoaded = true;
      return sound;
    }));
  const late = (names: readonly string[], thrown: unknown): void => {
    const code = HaftError.is(thrown) && isOurs(thrown.code) ? thrown.code : "FACTORY_FAILED";
    onLate({ code, message: messageOf(thrown), names });
  };
  const tools = registrations.map((described, index): PluginToolRegistration => {
    const { names, optional, channels, scope, tools: finished } = described;
    const rest = withoutUndefined<Omit<PluginToolRegistration, "factory">>({
      names,
      optional,
      channels,
      scope,
    });
    if (finished === undefined)
      return { ...rest, factory: lazyFactory({ placed, described, index, load, late }) };
    const lazy = finished.map((tool) => lazyTool(tool, { placed, load, late }));
    return { ...rest, static: true, factory: () => lazy };
  });
  const plugin = withoutUndefined<Plugin>({
    contract: CONTRACT_VERSION,
    id,
    name,
    version,
    tools,
    config: placed.config,
    replaces: [...new Set([...replaces, ...(placed.replaces ?? [])])],
    source: record.file,
  });
  return { plugin, isLoaded: () => isLoaded };
}

function isOurs(code: string): code is LateFailure["code"] {
  return code === "PLUGIN_CHANGED" || code === "PLUGIN_UNLOADABLE" || code === "FACTORY_TIMEOUT";
}

interface Lazy {
  placed: PlacedPlugin;
  load: () => Promise<SoundPlugin>;
  late: (names: readonly string[], thrown: unknown) => void;
}

/** Imported by the first call, or by what has to be known of it before. */
function lazyTool(told: DescribedTool, { placed, load, late }: Lazy): AnyTool {
  const { plans, wantsPlan, ...data } = told;
  let real: AnyTool | undefined;
  let getting: Promise<AnyTool> | undefined;
  const get = (): Promise<AnyTool> =>
    (getting ??= load()
      .then((sound) => (real = sameTool(sound, placed, told)))
      .catch((thrown: unknown) => {
        late([told.name], thrown);
        throw thrown;
      }));
  return {
    ...data,
    execute: (id, params, signal, onUpdate, context) =>
      real === undefined
        ? get().then((tool) => {
            if (signal.aborted)
              throw hostError(
                "CANCELLED",
                `${told.name} was stopped before it ran, while its plugin was loaded.`,
              );
            return tool.execute(id, params, signal, onUpdate, context);
          })
        : real.execute(id, params, signal, onUpdate, context),
    ...(plans && {
      plan: async (params, context, signal) => (await get()).plan!(params, context, signal),
    }),
    ...(wantsPlan && {
      wantsPlan: (params, context) =>
        real === undefined
          ? get().then((tool) => tool.wantsPlan!(params, context))
          : real.wantsPlan!(params, context),
    }),
  } satisfies Partial<AnyTool> as AnyTool;
}

/** Imported by the first session that may use it. */
function lazyFactory({
  placed,
  described,
  index,
  load,
  late,
}: Lazy & { described: DescribedRegistration; index: number }): PluginToolFactory {
  const { names } = described;
  let getting: Promise<Plugin> | undefined;
  let real: Plugin | undefined;
  const get = (): Promise<Plugin> =>
    (getting ??= load().then(({ plugin, described: now }) => {
      if (JSON.stringify(now.registrations[index]) !== JSON.stringify(described))
        throw changed(`${placed.use} registers ${names.join(", ")} otherwise than when it was tried`);
      return (real = plugin);
    }));
  const make = ({ tools, config }: Plugin, context: PluginToolContext) =>
    tools[index]!.factory(configured(context, placed.config ?? config));
  return (context) => {
    try {
      const made = real === undefined ? get().then((plugin) => make(plugin, context)) : make(real, context);
      return isPromise(made) ? waitFor(made, context) : made;
    } catch (thrown) {
      late(names, thrown);
      throw thrown;
    }
  };

  async function waitFor<T>(made: Promise<T>, { signal }: PluginToolContext): Promise<T> {
    const onLate = () => late(names, tooLong(names));
    signal.addEventListener("abort", onLate, { once: true });
    try {
      return await made;
    } catch (thrown) {
      if (!signal.aborted) late(names, thrown);
      throw thrown;
    } finally {
      signal.removeEventListener("abort", onLate);
    }
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null)?.then === "function";
}

function tooLong(names: readonly string[]): HaftError {
  return new HaftError("FACTORY_TIMEOUT", `The factory for ${names.join(", ")} was not done in time.`, {
    category: "operational",
  });
}

/** As it is but for that: what its parts are is looked at by the factory, if it does. */
function configured(context: PluginToolContext, config: unknown): PluginToolContext {
  if (context.config === config) return context;
  return Object.defineProperty(context, "config", { value: config, enumerable: true });
}
