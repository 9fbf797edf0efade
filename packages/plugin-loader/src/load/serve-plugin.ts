import type { PluginReference } from "@haft/config/internal/document";
import {
  type AnyTool,
  CONTRACT_VERSION,
  HaftError,
  getErrorMessage,
  type Plugin,
  type PluginToolContext,
  type PluginToolFactory,
  type PluginToolRegistration,
  type ToolEffect,
} from "@haft/core";
import { checkConfig, findSchemaSnapshot } from "@haft/core/internal";
import { withoutUndefined, isThenable } from "@haft/utils";
import type {
  DescribedPlugin,
  DescribedRegistration,
  DescribedTool,
  SoundPlugin,
} from "../describe/describe-plugin.ts";
import { pluginLoaderError } from "../errors.ts";
import { findUndeclaredEffects } from "../manifest/compare-manifest.ts";
import type { Manifest, ManifestTool } from "../manifest/manifest.ts";
import {
  pluginChangedError,
  loadTriedPlugin,
  requireSameTool,
  type TriedPlugin,
} from "./load-tried-plugin.ts";
import type { RuntimeFailure } from "./plugin-record.ts";
import { runPluginCode } from "./run-plugin-code.ts";

export interface ServedPlugin {
  plugin: Plugin;
  isLoaded(): boolean;
}

/**
 * Returns the plugin of a record. Its static tools are offered as tried, and it is loaded when one is called or plans a call; its factories
 * have their tools.
 *
 * @param onLate called for each later failure
 * @param onRecovery called after a success that ends failures with this code
 */
export function servePlugin(
  placed: PluginReference,
  record: TriedPlugin,
  onLate: (failure: Omit<RuntimeFailure, "at">) => void,
  onRecovery: (code: RuntimeFailure["code"]) => void,
): ServedPlugin {
  const { id, name, version, registrations, replaces = [], hosts } = record.plugin;
  let loading: Promise<SoundPlugin> | undefined;
  let isLoaded = false;
  const load = (): Promise<SoundPlugin> =>
    (loading ??= Promise.resolve(inside(() => loadTriedPlugin(placed, record))).then((sound) => {
      isLoaded = true;
      onRecovery("PLUGIN_UNLOADABLE");
      return sound;
    }));
  const late: Lazy["late"] = (names, thrown, otherwise = "FACTORY_FAILED"): void => {
    const code = HaftError.is(thrown) && isOurs(thrown.code) ? thrown.code : otherwise;
    // The message is stored on disk.
    onLate({ code, message: checkConfig(plugin).secretMasker.maskText(getErrorMessage(thrown)), names });
  };
  const all = registrations.flatMap(({ names }) => names);
  const inside: Lazy["inside"] = (work) =>
    runPluginCode({ use: placed.use, files: record.files, onExit: (thrown) => late(all, thrown) }, work);
  const lazy = { placed, load, late, inside, onRecovery };
  const tools = registrations.map((described, index): PluginToolRegistration => {
    const { names, optional, channels, scope, tools: finished } = described;
    const rest = withoutUndefined<Omit<PluginToolRegistration, "factory">>({
      names,
      ...boundsOf(described, record.manifest),
      optional,
      channels,
      scope,
    });
    if (finished === undefined)
      return { ...rest, factory: lazyFactory({ ...lazy, described, index, record }) };
    const made = finished.map((tool) => lazyTool(tool, lazy));
    return { ...rest, static: true, factory: () => made };
  });
  const plugin = withoutUndefined<Plugin>({
    ...lazyLife(record.plugin, lazy),
    contract: CONTRACT_VERSION,
    id,
    name,
    version,
    tools,
    config: placed.config ?? record.plugin.config,
    hosts,
    replaces: [...new Set([...replaces, ...(placed.replaces ?? [])])],
    source: record.file,
  });
  return { plugin, isLoaded: () => isLoaded };
}

function isOurs(code: string): code is RuntimeFailure["code"] {
  return OURS.includes(code);
}

const OURS: readonly string[] = [
  "FACTORY_FAILED",
  "PLUGIN_CHANGED",
  "PLUGIN_UNHANDLED",
  "PLUGIN_UNLOADABLE",
] satisfies RuntimeFailure["code"][];

interface Lazy {
  placed: PluginReference;
  load: () => Promise<SoundPlugin>;
  late: (names: readonly string[], thrown: unknown, otherwise?: RuntimeFailure["code"]) => void;
  onRecovery: (code: RuntimeFailure["code"]) => void;
  inside: <T>(work: () => T | Promise<T>) => T | Promise<T>;
}

function lazyLife(
  { registrations, configSchema, configLibrary, setsUp, disposes }: DescribedPlugin,
  { load, late, inside, onRecovery }: Lazy,
): Pick<Plugin, "configSchema" | "setup" | "dispose"> {
  const names = registrations.flatMap((each) => each.names);
  const ofLibrary = {
    "~standard": {
      version: 1,
      vendor: configLibrary,
      jsonSchema: { input: () => configSchema },
      validate: async (value: unknown) => {
        const { plugin } = await load();
        const { "~standard": standard } = plugin.configSchema as {
          "~standard": { validate(value: unknown): unknown };
        };
        return inside(() => standard.validate(value));
      },
    },
  };
  return {
    ...(configSchema && { configSchema: configLibrary === undefined ? configSchema : ofLibrary }),
    ...(setsUp && {
      setup: async (context) => {
        const { signal } = context;
        // The host ends a late setup with this reason. If it closes, the reason is an AbortError.
        const onAbort = (): void => {
          const { reason } = signal as { reason: unknown };
          if (reason instanceof DOMException) return;
          late(names, new Error(`The setup failed: ${getErrorMessage(reason)}.`), "SETUP_FAILED");
        };
        signal.addEventListener("abort", onAbort, { once: true });
        try {
          const { plugin } = await load();
          const state: unknown = await inside(() => plugin.setup!(context));
          if (!signal.aborted) onRecovery("SETUP_FAILED");
          return state;
        } catch (thrown) {
          if (!signal.aborted) late(names, thrown, "SETUP_FAILED");
          throw thrown;
        } finally {
          signal.removeEventListener("abort", onAbort);
        }
      },
    }),
    ...(disposes && {
      dispose: async (state) => {
        const { plugin } = await load();
        return inside(() => plugin.dispose!(state));
      },
    }),
  };
}

/** Imported by the first call or plan. */
function lazyTool(toolRecord: DescribedTool, { placed, load, late, inside }: Lazy): AnyTool {
  const { plans, wantsPlan, judges, ...data } = toolRecord;
  let real: AnyTool | undefined;
  let getting: Promise<AnyTool> | undefined;
  const get = (): Promise<AnyTool> =>
    (getting ??= load()
      .then((sound) => (real = requireSameTool(sound, placed, toolRecord)))
      .catch((thrown: unknown) => {
        late([toolRecord.name], thrown);
        throw thrown;
      }));
  const judge = (tool: AnyTool, value: unknown) =>
    findSchemaSnapshot(tool.parameters as object)?.validate?.(value);
  return {
    ...data,
    ...(judges && {
      parameters: {
        "~standard": {
          version: 1,
          vendor: data.name,
          validate: (value: unknown) =>
            real === undefined ? get().then((tool) => judge(tool, value)) : judge(real, value),
          jsonSchema: { input: () => toolRecord.parameters as object },
        },
      },
    }),
    execute: (id, params, signal, onUpdate, context) =>
      real === undefined
        ? get().then((tool) => {
            if (signal.aborted)
              throw pluginLoaderError(
                "CANCELLED",
                `${toolRecord.name} was stopped before it ran, while its plugin was loaded.`,
              );
            return inside(() => tool.execute(id, params, signal, onUpdate, context));
          })
        : inside(() => real!.execute(id, params, signal, onUpdate, context)),
    ...(plans && {
      plan: async (params, context, signal) => {
        const tool = await get();
        return inside(() => tool.plan!(params, context, signal));
      },
    }),
    ...(wantsPlan && {
      wantsPlan: (params, context) =>
        real === undefined
          ? get().then((tool) => inside(() => tool.wantsPlan!(params, context)))
          : inside(() => real!.wantsPlan!(params, context)),
    }),
  } satisfies Partial<AnyTool> as AnyTool;
}

function lazyFactory({
  placed,
  described,
  index,
  record,
  load,
  late,
  inside,
}: Lazy & {
  described: DescribedRegistration;
  index: number;
  record: TriedPlugin;
}): PluginToolFactory {
  const { names } = described;
  let getting: Promise<Plugin> | undefined;
  let real: Plugin | undefined;
  const get = (): Promise<Plugin> =>
    (getting ??= load().then(({ plugin, described: now }) => {
      if (JSON.stringify(now.registrations[index]) !== JSON.stringify(described))
        throw pluginChangedError(
          `${placed.use} registers ${names.join(", ")} otherwise than when it was tried`,
        );
      return (real = plugin);
    }));
  const make = ({ tools, config }: Plugin, context: PluginToolContext) => {
    const effective = record.plugin.configSchema === undefined ? (placed.config ?? config) : context.config;
    const made = inside(() => tools[index]!.factory(configured(context, effective)));
    const { manifest } = record;
    if (manifest === undefined) return made;
    return isThenable(made) ? made.then((one) => heldTo(manifest, one)) : heldTo(manifest, made);
  };
  return (context) => {
    try {
      const made = real === undefined ? get().then((plugin) => make(plugin, context)) : make(real, context);
      return isThenable(made) ? waitFor(made, context) : made;
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

function tooLong(names: readonly string[]): HaftError {
  return new HaftError("FACTORY_FAILED", `The factory for ${names.join(", ")} was not done in time.`, {
    category: "operational",
  });
}

/** The factory reads the parts of the context. */
function configured(context: PluginToolContext, config: unknown): PluginToolContext {
  if (context.config === config) return context;
  return Object.defineProperty(context, "config", { value: config, enumerable: true });
}

function boundsOf(
  { names, effects, hosts }: DescribedRegistration,
  manifest: Manifest | undefined,
): Pick<PluginToolRegistration, "effects" | "hosts"> {
  const declared = names.map((name) => manifest?.tools.find((tool) => tool.name === name));
  const all = <T>(lists: readonly (readonly T[] | undefined)[]) =>
    lists.every((list) => list !== undefined) ? [...new Set(lists.flat())] : undefined;
  return withoutUndefined<Pick<PluginToolRegistration, "effects" | "hosts">>({
    effects: effects ?? (hasAllEffects(declared) ? byName(declared) : undefined),
    hosts: hosts ?? all(declared.map((tool) => tool?.hosts)),
  });
}

type WithEffects = ManifestTool & Required<Pick<ManifestTool, "effects">>;

function hasAllEffects(tools: readonly (ManifestTool | undefined)[]): tools is readonly WithEffects[] {
  return tools.every((tool) => tool?.effects !== undefined);
}

function byName(tools: readonly WithEffects[]): Readonly<Record<string, readonly ToolEffect[]>> {
  return Object.fromEntries(tools.map(({ name, effects }) => [name, effects]));
}

type Made = AnyTool | readonly AnyTool[] | null;

/** Returns the result of a factory if it does no more than the manifest declares. @throws HaftError `MANIFEST_WRONG` */
function heldTo<T extends Made>({ id, tools }: Manifest, made: T): T {
  for (const tool of [made].flat() as readonly (Partial<AnyTool> | null)[]) {
    const declared = tools.find(({ name }) => name === tool?.name);
    // The registry reports invalid and undeclared tools.
    const more =
      declared && Array.isArray(tool?.effects) ? findUndeclaredEffects(declared, tool.effects) : [];
    if (more.length === 0) continue;
    throw pluginLoaderError(
      "MANIFEST_WRONG",
      `Plugin "${id}" made ${declared?.name} with the effect ${more.join(", ")}, which its haft.plugin.json does not declare.`,
    );
  }
  return made;
}
