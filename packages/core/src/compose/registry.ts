import { withoutUndefined } from "@haft/utils";
import type { ToolFacts } from "../contract/policy-port.ts";
import type { Logger } from "../contract/ports.ts";
import { getDeclaredEffects, type Plugin, type PluginToolContext } from "../contract/registration.ts";
import type { AnyTool } from "../contract/tool.ts";
import { DEFAULT_FACTORY_MS } from "../defaults.ts";
import { checkOptions } from "../parameters/check-options.ts";
import { parameterFacts } from "../parameters/parameter-facts.ts";
import { findToolAbsences, type ToolAbsence } from "./absences.ts";
import {
  type Entry,
  type ToolBuildResult,
  buildTools,
  type ToolBuildContext,
  type ToolDiagnostic,
} from "./build-tools.ts";
import type { SessionInfo } from "./factory-context.ts";
import { type PluginLifecycle, PluginLifecycles } from "./lifecycle/plugin-lifecycle.ts";
import { findNameConflict, shareChannel, findNameOwners } from "./name-owners.ts";
import { checkPlugin, type PluginCheck } from "./plugin-check.ts";
import { REGISTRY, type RegistryOptions } from "./registry-options.ts";
import { ToolCache, type BuildToolsFunction } from "./tool-cache.ts";

/** A tool, read once, so that getters cannot change it. */
export interface RegisteredTool {
  readonly facts: ToolFacts;
  readonly tool: AnyTool;
  /** False if another plugin owns the short name: callable only as `plugin/name`. */
  readonly hasShortName: boolean;
  readonly lifecycle?: PluginLifecycle | undefined;
}

/** The tools of equal contexts, before policy. */
export interface ToolSet {
  readonly byName: ReadonlyMap<string, RegisteredTool>;
  readonly byId: ReadonlyMap<string, RegisteredTool>;
  readonly diagnostics: readonly ToolDiagnostic[];
  readonly absences: readonly ToolAbsence[];
}

export type ContextKeys = Pick<PluginToolContext, "agentId" | "sessionKey" | "messageChannel">;

interface ChannelShape {
  channel: string;
  hasSessionScope: boolean;
}

/**
 * Registers plugins and composes the tools of sessions. A failed factory only loses its own tools, with a diagnostic.
 *
 * @example
 * ```ts run
 * import { Registry } from "@haft/core/kernel";
 * import { defineTool, definePlugin, text, Type } from "@haft/plugin-sdk";
 *
 * const ping = defineTool({
 *   name: "ping",
 *   description: "Answers pong.",
 *   parameters: Type.Object({}),
 *   effects: [],
 *   execute: async () => ({ content: [text("pong")], details: {} }),
 * });
 * const registry = new Registry({ plugins: [definePlugin({ id: "demo", tools: [ping] })] });
 * registry.catalogue().map(({ id }) => id); // => ["demo/ping"]
 * registry.diagnostics; // => []
 * ```
 */
export class Registry {
  readonly #entries: Entry[] = [];
  readonly #diagnostics: ToolDiagnostic[] = [];
  readonly #claims = new Map<string, Entry[]>();
  readonly #builtIn: ReadonlySet<string>;
  readonly #replaces: RegistryOptions["replaces"];
  readonly #factoryTimeoutMs: number;
  readonly #logger: Logger | undefined;
  /** @internal Shared with the previous registry. */
  readonly toolCache: ToolCache;
  /** @internal */
  readonly lifecycles = new PluginLifecycles();
  readonly #registered = new WeakMap<AnyTool, RegisteredTool>();
  readonly #sets = new Map<string, ToolSet>();
  readonly #shapes = new Map<string, ChannelShape>();

  constructor(options: RegistryOptions) {
    checkOptions("Registry", options, REGISTRY);
    this.#builtIn = new Set(options.builtIn);
    this.#replaces = options.replaces;
    this.#factoryTimeoutMs = options.factoryTimeoutMs ?? DEFAULT_FACTORY_MS;
    this.#logger = options.logger;
    for (const diagnostic of options.diagnostics ?? []) this.#report(diagnostic);
    const seen = new Set<string>();
    this.toolCache = options.previous?.toolCache ?? new ToolCache();
    for (const [index, plugin] of options.plugins.entries())
      this.#add(plugin, seen, `plugins[${index}] of this host`, options);
  }

  /** Lists registration problems, before any factory ran. */
  get diagnostics(): readonly ToolDiagnostic[] {
    return this.#diagnostics;
  }

  /** Returns the facts of all tools, as far as known without factories. */
  catalogue(): ToolFacts[] {
    return this.#entries.flatMap((entry) => entry.names.map((name) => factsOf(entry, name, this.#builtIn)));
  }

  /** @internal Returns the shared set of this channel, synchronously for speed. */
  cached({ messageChannel }: ContextKeys): ToolSet | undefined {
    const { channel, hasSessionScope } = this.#shapeOf(messageChannel);
    return hasSessionScope ? undefined : this.#sets.get(channel);
  }

  /** Returns {@link catalogue} with the effects and groups of all session-independent tools. */
  async survey(logger: Logger): Promise<ToolFacts[]> {
    const make: BuildToolsFunction = (entry) => this.#make(entry, { logger });
    const facts = await Promise.all(
      this.#entries.map(async (entry) => {
        const made = entry.scope === "host" ? await this.toolCache.forHost(entry, make) : undefined;
        const toolOf = (name: string) => made?.tools.find((tool) => tool.name === name);
        return entry.names.map((name) => factsOf(entry, name, this.#builtIn, toolOf(name)));
      }),
    );
    return facts.flat();
  }

  /** @internal Runs missing factories and composes the tools. */
  async compose(getInfo: () => SessionInfo, keys: ContextKeys): Promise<ToolSet> {
    const { channel, hasSessionScope } = this.#shapeOf(keys.messageChannel);
    const known = this.cached(keys);
    if (known) return known;
    const entries = this.#entriesFor(keys.messageChannel);
    const session = getInfo();
    const key = sessionSuffix(keys);
    const { logger } = session;
    const make: BuildToolsFunction = (entry, its) => this.#make(entry, { ...its, logger });
    const made = await Promise.all(
      entries.map((entry) =>
        entry.scope === "host"
          ? this.toolCache.forHost(entry, make)
          : this.toolCache.forSession(entry, key, session, make),
      ),
    );
    const set = this.#assemble(entries, made, keys.messageChannel);
    if (!hasSessionScope) this.#sets.set(channel, set);
    return set;
  }

  /** @internal Releases the tools of one session. */
  release(keys: ContextKeys): void {
    this.toolCache.release(sessionSuffix(keys));
  }

  /** Tells whether a plugin failed, so that a new registry may succeed. */
  get hasFailed(): boolean {
    return this.lifecycles.hasFailed;
  }

  /**
   * Sets up these plugins before their first use.
   *
   * @throws HaftError `PLUGIN_CONFIG_INVALID`, `SETUP_FAILED`
   */
  setUp(ids: ReadonlySet<string>, logger: Logger): Promise<void> {
    return this.lifecycles.setUp(ids, logger);
  }

  /** Disposes of plugins that `next` does not have, and returns problems. Never rejects. */
  async close(next?: Registry): Promise<readonly ToolDiagnostic[]> {
    const failures = await this.lifecycles.close(next?.lifecycles);
    for (const { message, code, pluginId } of failures)
      this.#logger?.warn(message, { code, plugin: pluginId });
    return failures.map((failure) => ({ ...failure, names: [] }));
  }

  #add(plugin: Plugin, seen: Set<string>, where: string, { getSource, previous }: RegistryOptions): void {
    const check = checkPlugin(plugin, where);
    if ("problem" in check) return this.#refuse(check);
    const { id } = plugin;
    if (seen.has(id)) {
      const names = check.entries.flatMap((entry) => entry.names);
      return this.#refuse({ id, names, problem: `Two plugins have the id "${id}"; the second is ignored.` });
    }
    seen.add(id);
    const sourceOf = (path: readonly (string | number)[]) => getSource?.(id, path);
    const { lifecycle, isNew } = this.lifecycles.take(
      plugin,
      { timeoutMs: this.#factoryTimeoutMs, getSource: sourceOf },
      previous?.lifecycles,
    );
    if (isNew) this.toolCache.forget(check.entries);
    const wrong = lifecycle?.problem;
    if (wrong !== undefined) {
      const names = check.entries.flatMap((entry) => entry.names);
      return this.#report({ ...wrong, pluginId: id, names });
    }
    for (const entry of check.entries) {
      entry.lifecycle = lifecycle;
      for (const name of entry.names) this.#claim(entry, name);
      this.#entries.push(entry);
    }
  }

  #refuse({
    problem: message,
    id: pluginId = "",
    names = [],
    code = "PLUGIN_INVALID",
    fix = "Report it to the plugin's author, or leave the plugin out.",
  }: Exclude<PluginCheck, { entries: Entry[] }>): void {
    this.#report({ code, pluginId, names, message, fix });
  }

  #claim(entry: Entry, name: string): void {
    const claims = this.#claims.get(name);
    if (!claims) {
      this.#claims.set(name, [entry]);
      return;
    }
    const rivals = claims.filter((other) => shareChannel(other, entry));
    claims.push(entry);
    const conflict = findNameConflict(entry, name, rivals, {
      builtIn: this.#builtIn,
      replaces: this.#replaces,
    });
    if (conflict !== undefined) this.#report(conflict);
  }

  #report(diagnostic: ToolDiagnostic): void {
    this.#diagnostics.push(diagnostic);
    this.#logger?.warn(diagnostic.message, { code: diagnostic.code, plugin: diagnostic.pluginId });
  }

  #entriesFor(channel: string): Entry[] {
    return this.#entries.filter(({ registration }) => registration.channels?.includes(channel) ?? true);
  }

  #shapeOf(messageChannel: string): ChannelShape {
    let shape = this.#shapes.get(messageChannel);
    if (!shape) {
      const filtered = this.#entries.some(({ registration }) => registration.channels);
      const hasSessionScope = this.#entriesFor(messageChannel).some(({ scope }) => scope === "session");
      shape = { channel: filtered ? messageChannel : "", hasSessionScope };
      this.#shapes.set(messageChannel, shape);
    }
    return shape;
  }

  async #make(
    entry: Entry,
    making: Omit<ToolBuildContext, "timeoutMs" | "isBuiltIn">,
  ): Promise<ToolBuildResult> {
    const isBuiltIn = this.#builtIn.has(entry.plugin.id);
    const made = await buildTools(entry, { ...making, timeoutMs: this.#factoryTimeoutMs, isBuiltIn });
    for (const { message, code } of made.diagnostics)
      this.#logger?.warn(message, { code, plugin: entry.plugin.id });
    return made;
  }

  #assemble(entries: readonly Entry[], made: readonly ToolBuildResult[], channel: string): ToolSet {
    const byName = new Map<string, RegisteredTool>();
    const byId = new Map<string, RegisteredTool>();
    const diagnostics = [...this.#diagnostics];
    const owners = findNameOwners(entries);
    for (const [index, entry] of entries.entries()) {
      diagnostics.push(...made[index]!.diagnostics);
      for (const tool of made[index]!.tools) {
        const hasShortName = owners.get(tool.name) === entry;
        const registered = this.#register(entry, tool, hasShortName);
        if (byId.has(registered.facts.id)) continue;
        byId.set(registered.facts.id, registered);
        if (hasShortName) byName.set(tool.name, registered);
      }
    }
    const absences = findToolAbsences({ all: this.#entries, entries, buildResults: made, owners, channel });
    return { byName, byId, diagnostics, absences };
  }

  /** Returns the same object for a shared tool: policies cache by it. */
  #register(entry: Entry, tool: AnyTool, hasShortName: boolean): RegisteredTool {
    let known = this.#registered.get(tool);
    if (known?.hasShortName !== hasShortName) {
      const facts = factsOf(entry, tool.name, this.#builtIn, tool);
      known = Object.freeze({ facts, tool, hasShortName, lifecycle: entry.lifecycle });
      this.#registered.set(tool, known);
    }
    return known;
  }
}

/** The lengths prevent collisions of arbitrary names. */
function sessionSuffix({ agentId, sessionKey }: ContextKeys): string {
  return `:${agentId.length}:${sessionKey.length}:${agentId}${sessionKey}`;
}

/** @param tool If absent, the facts come from the registration. */
function factsOf(
  { plugin, registration }: Entry,
  name: string,
  builtIn: ReadonlySet<string>,
  tool?: AnyTool,
): ToolFacts {
  const facts: ToolFacts = withoutUndefined({
    id: `${plugin.id}/${name}`,
    name,
    pluginId: plugin.id,
    optional: registration.optional ?? false,
    effects: tool?.effects ?? getDeclaredEffects(registration.effects, name) ?? [],
    groups: tool?.groups ?? [],
    builtIn: builtIn.has(plugin.id),
    actions: tool && actionsOf(tool),
    // A plugin cannot claim to be a server that rules name.
    mcp: tool?.mcp !== undefined && plugin.id === `mcp-${tool.mcp.server}` ? tool.mcp : undefined,
  });
  if (tool === undefined) return Object.freeze(facts);
  // Read on demand: few policies need it.
  let known: { parameters: ToolFacts["parameters"] } | undefined;
  const get = () => (known ??= { parameters: parameterFacts(tool) }).parameters;
  return Object.freeze(Object.defineProperty(facts, "parameters", { enumerable: true, get }));
}

function actionsOf({ parameters }: AnyTool): readonly string[] | undefined {
  interface Choice {
    enum?: unknown[];
    const?: unknown;
    anyOf?: Choice[];
  }
  const action = (parameters as { properties?: { action?: Choice } }).properties?.action;
  const words = action?.enum ?? action?.anyOf?.map((one) => one.const);
  return words?.every((word) => typeof word === "string") ? words : undefined;
}
