import type { ToolFacts } from "../contract/policy-port.ts";
import type { Logger } from "../contract/ports.ts";
import type { Plugin, PluginToolContext } from "../contract/registration.ts";
import type { AnyTool } from "../contract/tool.ts";
import { withoutUndefined } from "../contract/without-undefined.ts";
import { checkOptions, optionsSchema } from "../parameters/check-options.ts";
import { parameterFacts } from "../parameters/parameter-facts.ts";
import { absencesOf, type ToolAbsence } from "./absences.ts";
import { hostContext, makeTools, type Entry, type MadeTools, type ToolDiagnostic } from "./make-tools.ts";
import { conflictOf } from "./name-conflict.ts";
import { meet, ownersOf } from "./name-owners.ts";
import { checkPlugin, type PluginCheck } from "./plugin-check.ts";

/** A tool of a session, checked and read once: a getter that lies later cannot change it. */
export interface RegisteredTool {
  readonly facts: ToolFacts;
  readonly tool: AnyTool;
  /** False when another plugin has the short name: reachable as `plugin/name` only, and not advertised. */
  readonly hasShortName: boolean;
}

/** The tools composed for one context, before policy. Shared by all sessions with that context. */
export interface ToolSet {
  readonly byName: ReadonlyMap<string, RegisteredTool>;
  readonly byId: ReadonlyMap<string, RegisteredTool>;
  readonly diagnostics: readonly ToolDiagnostic[];
  /** What was left out on purpose, and why. */
  readonly absences: readonly ToolAbsence[];
}

/** What a registry is made of. */
export interface RegistryOptions {
  /** In order: the first to claim a name has it. */
  plugins: readonly Plugin[];
  /** Plugins that came with the host; their tools have cells in the session table. */
  builtIn?: readonly string[];
  /** Plugin id → names of tools of {@link builtIn} plugins that it may replace. Default: all that it wants to. */
  replaces?: ReadonlyMap<string, readonly string[]>;
  /** What was found wrong before: plugins that could not be loaded. */
  diagnostics?: readonly ToolDiagnostic[];
  /** Milliseconds a factory may take. Default 10,000. */
  factoryTimeoutMs?: number;
  /** Told of every diagnostic. */
  logger?: Logger;
}

const REGISTRY = /* @__PURE__ */ optionsSchema<RegistryOptions>(
  {
    plugins: { type: "array", description: "The plugins, the first to claim a name having it." },
    builtIn: { type: "array", description: "The ids of those that came with the host." },
    replaces: { description: "What of built-in tools each plugin may replace, by its id: a Map." },
    diagnostics: { type: "array", description: "What was found wrong before." },
    factoryTimeoutMs: {
      "haft:kind": "milliseconds",
      description: "What a factory may take. Default 10,000.",
    },
    logger: { description: "Where it is logged what is not composed." },
  },
  ["plugins"],
);

/** What a factory result depends on; see `PluginToolRegistration.scope`. */
export type ContextKeys = Pick<PluginToolContext, "agentId" | "sessionKey" | "messageChannel">;

interface ChannelShape {
  /** Empty when no registration is limited to channels. */
  channel: string;
  hasSessionScope: boolean;
}

/**
 * Holds the registrations of all plugins and makes the tools of a session from them. A factory
 * that throws, stalls or returns nonsense costs its own tools only and leaves a diagnostic.
 */
export class Registry {
  readonly #entries: Entry[] = [];
  readonly #diagnostics: ToolDiagnostic[] = [];
  /** Short name → every registration of it. */
  readonly #claims = new Map<string, Entry[]>();
  readonly #builtIn: ReadonlySet<string>;
  readonly #replaces: RegistryOptions["replaces"];
  readonly #factoryTimeoutMs: number;
  readonly #logger: Logger | undefined;
  /** What factories made: for each entry by session, or under "" for all of them. */
  readonly #made = new Map<Entry, Map<string, Promise<MadeTools>>>();
  readonly #registered = new WeakMap<AnyTool, RegisteredTool>();
  readonly #sets = new Map<string, ToolSet>();
  readonly #shapes = new Map<string, ChannelShape>();

  /** @throws HaftError `INVALID_OPTIONS` */
  constructor(options: RegistryOptions) {
    checkOptions("Registry", options, REGISTRY);
    this.#builtIn = new Set(options.builtIn);
    this.#replaces = options.replaces;
    this.#factoryTimeoutMs = options.factoryTimeoutMs ?? 10_000;
    this.#logger = options.logger;
    for (const diagnostic of options.diagnostics ?? []) this.#report(diagnostic);
    const seen = new Set<string>();
    for (const [index, plugin] of options.plugins.entries())
      this.#add(plugin, seen, `plugins[${index}] of this host`);
  }

  /** Problems found while registering, before any factory ran. */
  get diagnostics(): readonly ToolDiagnostic[] {
    return this.#diagnostics;
  }

  /** Every name that was registered, with what is known of it without running a factory. */
  catalogue(): ToolFacts[] {
    return this.#entries.flatMap((entry) => entry.names.map((name) => this.#facts(entry, name, undefined)));
  }

  /** @internal The composed set if this context was composed before. Synchronous: it is on the way of every session. */
  cached(keys: ContextKeys): ToolSet | undefined {
    return this.#sets.get(this.#setKey(keys));
  }

  /** Like {@link catalogue}, with the effects and groups of every tool that does not depend on a session. */
  async survey(logger: Logger): Promise<ToolFacts[]> {
    const keys = { agentId: "", sessionKey: "", messageChannel: "" };
    const none = () => hostContext(undefined, logger, new AbortController().signal);
    const facts = await Promise.all(
      this.#entries.map(async (entry) => {
        const made = entry.scope === "host" ? await this.#make(entry, none, keys) : undefined;
        const toolOf = (name: string) => made?.tools.find((tool) => tool.name === name);
        return entry.names.map((name) => this.#facts(entry, name, toolOf(name)));
      }),
    );
    return facts.flat();
  }

  /** @internal Runs the factories this context still needs and composes its set. */
  async compose(context: () => PluginToolContext, keys: ContextKeys): Promise<ToolSet> {
    const setKey = this.#setKey(keys);
    const known = this.#sets.get(setKey);
    if (known) return known;
    const entries = this.#entriesFor(keys.messageChannel);
    const made = await Promise.all(entries.map((entry) => this.#make(entry, context, keys)));
    const set = this.#assemble(entries, made, keys.messageChannel);
    this.#sets.set(setKey, set);
    return set;
  }

  /** @internal Forgets what was made for one session. */
  release(keys: ContextKeys): void {
    const { hasSessionScope } = this.#shapeOf(keys.messageChannel);
    if (!hasSessionScope) return;
    const suffix = sessionSuffix(keys);
    for (const made of this.#made.values()) made.delete(suffix);
    this.#sets.delete(this.#setKey(keys));
  }

  #add(plugin: Plugin, seen: Set<string>, where: string): void {
    const check = checkPlugin(plugin, where);
    if ("problem" in check) return this.#refuse(check);
    const { id } = plugin;
    if (seen.has(id)) {
      const names = check.entries.flatMap((entry) => entry.names);
      return this.#refuse({ id, names, problem: `Two plugins have the id "${id}"; the second is ignored.` });
    }
    seen.add(id);
    for (const entry of check.entries) {
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

  /** Tools of different channels never meet, so they may share a name. */
  #claim(entry: Entry, name: string): void {
    const claims = this.#claims.get(name);
    if (!claims) {
      this.#claims.set(name, [entry]);
      return;
    }
    const rivals = claims.filter((other) => meet(other, entry));
    claims.push(entry);
    const conflict = conflictOf(entry, name, rivals, { builtIn: this.#builtIn, replaces: this.#replaces });
    if (conflict !== undefined) this.#report(conflict);
  }

  #report(diagnostic: ToolDiagnostic): void {
    this.#diagnostics.push(diagnostic);
    this.#logger?.warn(diagnostic.message, { code: diagnostic.code, plugin: diagnostic.pluginId });
  }

  #entriesFor(channel: string): Entry[] {
    return this.#entries.filter(({ registration }) => registration.channels?.includes(channel) ?? true);
  }

  /** What distinguishes the sets of two sessions of this channel. */
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

  #setKey(keys: ContextKeys): string {
    const { channel, hasSessionScope } = this.#shapeOf(keys.messageChannel);
    return hasSessionScope ? sessionSuffix(keys) + channel : channel;
  }

  #make(entry: Entry, context: () => PluginToolContext, keys: ContextKeys): Promise<MadeTools> {
    const key = entry.scope === "host" ? "" : sessionSuffix(keys);
    let made = this.#made.get(entry);
    if (!made) this.#made.set(entry, (made = new Map()));
    const known = made.get(key);
    if (known) return known;
    const making = makeTools(entry, context(), this.#factoryTimeoutMs).then((result) => {
      for (const { message, code } of result.diagnostics)
        this.#logger?.warn(message, { code, plugin: entry.plugin.id });
      return result;
    });
    made.set(key, making);
    return making;
  }

  #assemble(entries: readonly Entry[], made: readonly MadeTools[], channel: string): ToolSet {
    const byName = new Map<string, RegisteredTool>();
    const byId = new Map<string, RegisteredTool>();
    const diagnostics = [...this.#diagnostics];
    const owners = ownersOf(entries);
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
    const absences = absencesOf({ all: this.#entries, entries, made, owners, channel });
    return { byName, byId, diagnostics, absences };
  }

  /** The same again for a tool that several sessions have: what policy says of it is kept with its facts. */
  #register(entry: Entry, tool: AnyTool, hasShortName: boolean): RegisteredTool {
    let known = this.#registered.get(tool);
    if (known?.hasShortName !== hasShortName) {
      known = Object.freeze({ facts: this.#facts(entry, tool.name, tool), tool, hasShortName });
      this.#registered.set(tool, known);
    }
    return known;
  }

  #facts(entry: Entry, name: string, tool: AnyTool | undefined): ToolFacts {
    const actions = tool && actionsOf(tool);
    const facts: ToolFacts = withoutUndefined({
      id: `${entry.plugin.id}/${name}`,
      name,
      pluginId: entry.plugin.id,
      optional: entry.registration.optional ?? false,
      effects: tool?.effects ?? [],
      groups: tool?.groups ?? [],
      builtIn: this.#builtIn.has(entry.plugin.id),
      actions,
    });
    if (tool === undefined) return Object.freeze(facts);
    // Read when a policy speaks of arguments, which few do.
    let known: { parameters: ToolFacts["parameters"] } | undefined;
    const get = () => (known ??= { parameters: parameterFacts(tool) }).parameters;
    return Object.freeze(Object.defineProperty(facts, "parameters", { enumerable: true, get }));
  }
}

/** The words its parameter `action` can be, where the schema lists them. */
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

/** With the lengths: names from outside may hold any character, and sessions must not share tools by accident. */
function sessionSuffix({ agentId, sessionKey }: ContextKeys): string {
  return `:${agentId.length}:${sessionKey.length}:${agentId}${sessionKey}`;
}
