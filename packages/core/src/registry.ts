import { hostContext, makeTools, type Entry, type MadeTools, type ToolDiagnostic } from "./make-tools.ts";
import type { Logger, ToolFacts } from "./ports.ts";
import type { Plugin, PluginToolContext } from "./registration.ts";
import type { AnyTool } from "./tool.ts";

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
}

export interface RegistryOptions {
  plugins: readonly Plugin[];
  /** Plugins that came with the host; their tools have cells in the session table. */
  builtIn?: readonly string[];
  /** Milliseconds a factory may take. Default 10,000. */
  factoryTimeoutMs?: number;
  logger?: Logger;
}

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
  /** Short name → plugin that owns it. */
  readonly #owners = new Map<string, string>();
  readonly #builtIn: ReadonlySet<string>;
  readonly #factoryTimeoutMs: number;
  readonly #logger: Logger | undefined;
  readonly #made = new Map<string, Promise<MadeTools>>();
  readonly #sets = new Map<string, ToolSet>();
  readonly #shapes = new Map<string, ChannelShape>();

  constructor(options: RegistryOptions) {
    this.#builtIn = new Set(options.builtIn);
    this.#factoryTimeoutMs = options.factoryTimeoutMs ?? 10_000;
    this.#logger = options.logger;
    const seen = new Set<string>();
    for (const plugin of options.plugins) this.#add(plugin, seen);
  }

  /** Problems found while registering, before any factory ran. */
  get diagnostics(): readonly ToolDiagnostic[] {
    return this.#diagnostics;
  }

  /** Every name that was registered, with what is known of it without running a factory. */
  catalogue(): ToolFacts[] {
    return this.#entries.flatMap((entry) => entry.names.map((name) => this.#facts(entry, name, undefined)));
  }

  /** The composed set if this context was composed before. Synchronous: it is on the way of every session. */
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
        return entry.names.map((name) =>
          this.#facts(
            entry,
            name,
            made?.tools.find((tool) => tool.name === name),
          ),
        );
      }),
    );
    return facts.flat();
  }

  /** Runs the factories this context still needs and composes its set. */
  async compose(context: () => PluginToolContext, keys: ContextKeys): Promise<ToolSet> {
    const setKey = this.#setKey(keys);
    const known = this.#sets.get(setKey);
    if (known) return known;
    const entries = this.#entriesFor(keys.messageChannel);
    const made = await Promise.all(entries.map((entry) => this.#make(entry, context, keys)));
    const set = this.#assemble(entries, made);
    this.#sets.set(setKey, set);
    return set;
  }

  /** Forgets what was made for one session. */
  release(keys: ContextKeys): void {
    const { hasSessionScope } = this.#shapeOf(keys.messageChannel);
    if (!hasSessionScope) return;
    const suffix = sessionSuffix(keys);
    for (const key of this.#made.keys()) if (key.endsWith(suffix)) this.#made.delete(key);
    this.#sets.delete(this.#setKey(keys));
  }

  #add(plugin: Plugin, seen: Set<string>): void {
    const problem = seen.has(plugin.id)
      ? `Two plugins have the id "${plugin.id}"; the second is ignored.`
      : /^[a-z0-9][a-z0-9-]*$/.test(plugin.id ?? "")
        ? undefined
        : `A plugin id is lower-case letters, digits and dashes; got ${JSON.stringify(plugin.id)}.`;
    if (problem !== undefined) {
      const names = plugin.tools?.flatMap((registration) => [...registration.names]) ?? [];
      this.#report({
        code: "PLUGIN_INVALID",
        pluginId: plugin.id,
        names,
        message: problem,
        fix: "Give each plugin an id of its own.",
      });
      return;
    }
    seen.add(plugin.id);
    for (const registration of plugin.tools) {
      for (const name of registration.names) this.#claim(plugin, name);
      const scope = registration.scope ?? "session";
      this.#entries.push({ plugin, registration, names: [...registration.names], scope });
    }
  }

  #claim(plugin: Plugin, name: string): void {
    const owner = this.#owners.get(name);
    if (owner === undefined || plugin.replaces?.includes(name)) {
      this.#owners.set(name, plugin.id);
      return;
    }
    this.#report({
      code: "TOOL_NAME_COLLISION",
      pluginId: plugin.id,
      names: [name],
      message: `Plugins "${owner}" and "${plugin.id}" both claim the name "${name}"; "${owner}" keeps it.`,
      fix: `Rename one of them, or list "${name}" in replaces of "${plugin.id}". Until then it is "${plugin.id}/${name}".`,
    });
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
    return hasSessionScope ? channel + sessionSuffix(keys) : channel;
  }

  #make(entry: Entry, context: () => PluginToolContext, keys: ContextKeys): Promise<MadeTools> {
    const index = this.#entries.indexOf(entry);
    const key = entry.scope === "host" ? String(index) : index + sessionSuffix(keys);
    const known = this.#made.get(key);
    if (known) return known;
    const making = makeTools(entry, context(), this.#factoryTimeoutMs).then((made) => {
      for (const { message, code } of made.diagnostics)
        this.#logger?.warn(message, { code, plugin: entry.plugin.id });
      return made;
    });
    this.#made.set(key, making);
    return making;
  }

  #assemble(entries: readonly Entry[], made: readonly MadeTools[]): ToolSet {
    const byName = new Map<string, RegisteredTool>();
    const byId = new Map<string, RegisteredTool>();
    const diagnostics = [...this.#diagnostics];
    for (const [index, entry] of entries.entries()) {
      diagnostics.push(...made[index]!.diagnostics);
      for (const tool of made[index]!.tools) {
        const facts = this.#facts(entry, tool.name, tool);
        const hasShortName = this.#owners.get(tool.name) === entry.plugin.id;
        const registered = Object.freeze({ facts, tool, hasShortName });
        byId.set(facts.id, registered);
        if (hasShortName) byName.set(tool.name, registered);
      }
    }
    return { byName, byId, diagnostics };
  }

  #facts(entry: Entry, name: string, tool: AnyTool | undefined): ToolFacts {
    return Object.freeze({
      id: `${entry.plugin.id}/${name}`,
      name,
      pluginId: entry.plugin.id,
      optional: entry.registration.optional ?? false,
      effects: tool?.effects ?? [],
      groups: tool?.groups ?? [],
      builtIn: this.#builtIn.has(entry.plugin.id),
    });
  }
}

function sessionSuffix({ agentId, sessionKey }: ContextKeys): string {
  return `\n${agentId}\n${sessionKey}`;
}
