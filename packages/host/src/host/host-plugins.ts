import type { PluginEntry } from "@haft/config";
import { getRealPath } from "@haft/config/internal/boundary";
import { getPluginReference, transferPluginReference } from "@haft/config/internal/document";
import { HaftError, type Logger, type Plugin, type ToolFacts } from "@haft/core";
import type { ToolDiagnostic } from "@haft/core/internal";
import { Registry } from "@haft/core/kernel";
import type { PluginReport } from "@haft/plugin-loader";
import {
  type OpenedPlugins,
  type OpenPluginsOptions,
  reportPlugin,
} from "@haft/plugin-loader/internal/plugins";
import { withoutUndefined } from "@haft/utils";
import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { reportMessage } from "./warn-unmatched-rules.ts";

type Given = readonly (Plugin | PluginEntry)[];

export interface HostPluginsOptions {
  builtIn: readonly Plugin[];
  /** The plugins of MCP servers, and the problems of unavailable servers. */
  mounted?: { plugins: readonly Plugin[]; diagnostics: readonly ToolDiagnostic[] } | undefined;
  stateDir: string | undefined;
  factoryTimeoutMs: number | undefined;
  logger: Logger | undefined;
}

interface Standing {
  given: Given;
  opened: OpenedPlugins;
  registry: Registry;
  catalogue: readonly ToolFacts[];
}

export interface NextPlugins extends Pick<Standing, "registry" | "catalogue"> {
  /** Activates them, and disposes of removed plugins. */
  commit(): Promise<void>;
  abandon(): Promise<void>;
}

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export class HostPlugins {
  readonly #options: HostPluginsOptions;
  #now: Standing;

  static async open(given: Given, options: HostPluginsOptions): Promise<HostPlugins> {
    const opened = given.length === 0 ? NO_PLUGINS : await openNamed(given, options);
    return new HostPlugins(options, await collect(given, opened, options));
  }

  private constructor(options: HostPluginsOptions, now: Standing) {
    this.#options = options;
    this.#now = now;
  }

  get registry(): Registry {
    return this.#now.registry;
  }

  get catalogue(): readonly ToolFacts[] {
    return this.#now.catalogue;
  }

  get code(): string[] {
    return codeOf(this.#now.opened);
  }

  reports(): PluginReport[] {
    const { builtIn, mounted } = this.#options;
    return [
      ...builtIn.map((plugin) => reportPlugin(plugin, { source: "built-in", replaces: [] })),
      ...(mounted?.plugins ?? []).map((plugin) => reportPlugin(plugin, { source: "haft mcp", replaces: [] })),
      ...this.#now.opened.reports().map((report) => asConfigured(report, this.#now.registry)),
    ];
  }

  /**
   * Opens the named plugins. Unchanged plugins keep running; new and changed plugins are tried, checked and
   * set up.
   *
   * @param check throws if a new file or folder must not be loaded
   * @returns `undefined` if nothing changed
   * @throws HaftError if any plugin cannot be used; then nothing changes
   */
  async prepare(named: Given, check: (paths: readonly string[]) => void): Promise<NextPlugins | undefined> {
    const before = this.#now;
    const given = named.map(
      (entry) => before.given.find((old) => transferPluginReference(old, entry)) ?? entry,
    );
    // Other entries failed before.
    const fresh = new Set(given.filter((entry) => !before.given.includes(entry)));
    const { getNamedPath, openPlugins } = await import("@haft/plugin-loader/internal/plugins");
    check([...fresh].flatMap((entry) => getPluginReference(entry) ?? []).map(getNamedPath));
    const opened = await openPlugins(given, openingOf(this.#options));
    const isSame = areSame(given, before.given) && areSame(opened.plugins, before.opened.plugins);
    if (isSame && !before.registry.hasFailed) return undefined;
    refuse(opened.listDiagnostics(fresh));
    const had = new Set(codeOf(before.opened));
    check(codeOf(opened).filter((path) => !had.has(path)));
    const next = await collect(given, opened, this.#options, before.registry);
    const ids = new Set(opened.listIds(fresh));
    const abandon = async () => void (await next.registry.close(before.registry));
    try {
      refuse(next.registry.diagnostics.filter(({ pluginId, code }) => ids.has(pluginId) && isWhole(code)));
      await next.registry.setUp(ids, this.#options.logger ?? SILENT);
    } catch (thrown) {
      await abandon();
      throw thrown;
    }
    return {
      ...next,
      abandon,
      commit: async () => {
        this.#now = next;
        await before.registry.close(next.registry);
      },
    };
  }

  async close(): Promise<void> {
    await this.#now.registry.close();
  }
}

function asConfigured(report: PluginReport, registry: Registry): PluginReport {
  const wrong = registry.diagnostics.find(
    ({ code, pluginId }) => code === "PLUGIN_CONFIG_INVALID" && pluginId === report.id,
  );
  if (wrong === undefined || report.state === "given") return report;
  const { message, fix } = wrong;
  return { ...report, state: "broken", tools: [], problem: { code: "PLUGIN_CONFIG_INVALID", message, fix } };
}

function isWhole(code: ToolDiagnostic["code"]): boolean {
  return code === "PLUGIN_CONFIG_INVALID" || code === "PLUGIN_INVALID" || code === "CONTRACT_UNKNOWN";
}

function areSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, at) => one === others[at]);
}

function refuse([first]: readonly ToolDiagnostic[]): void {
  if (first === undefined) return;
  const { code, message, fix } = first;
  throw new HaftError(code, message, { category: "operational", fix, receipt: "none" });
}

async function collect(
  given: Given,
  opened: OpenedPlugins,
  { builtIn, mounted, factoryTimeoutMs, logger }: HostPluginsOptions,
  previous?: Registry,
): Promise<Standing> {
  const registry = new Registry(
    withoutUndefined({
      plugins: [...builtIn, ...opened.plugins, ...(mounted?.plugins ?? [])],
      builtIn: builtIn.map(({ id }) => id),
      replaces: opened.replaces,
      diagnostics: [...opened.diagnostics, ...(mounted?.diagnostics ?? [])],
      factoryTimeoutMs,
      logger,
      getSource: (id, path) => opened.formatLocation(id, path),
      previous,
    }),
  );
  if (logger === undefined)
    for (const { message, fix } of registry.diagnostics) reportMessage(`${message} ${fix}`, logger, "warn");
  return { given, opened, registry, catalogue: await registry.survey(logger ?? SILENT) };
}

function codeOf({ plugins, code }: OpenedPlugins): string[] {
  return [...pluginCode(plugins), ...code];
}

const NO_PLUGINS: OpenedPlugins = {
  plugins: [],
  diagnostics: [],
  replaces: new Map(),
  code: [],
  reports: () => [],
  formatLocation: () => undefined,
  listIds: () => [],
  listDiagnostics: () => [],
};

async function openNamed(plugins: Given, options: HostPluginsOptions): Promise<OpenedPlugins> {
  const { openPlugins } = await import("@haft/plugin-loader/internal/plugins");
  return openPlugins(plugins, openingOf(options));
}

function openingOf({ stateDir, logger }: HostPluginsOptions): OpenPluginsOptions {
  return { stateDir, warn: (message) => reportMessage(message, logger, "warn") };
}

/** Returns the files that hosts may load later: an installed package, or only the module in a project that users edit. */
function pluginCode(plugins: readonly Plugin[]): string[] {
  return plugins.flatMap((plugin) => {
    const source = sourceOf(plugin);
    if (source === undefined) return [];
    const file = getRealPath(source) ?? source;
    return [installedPackage(file) ?? file];
  });
}

/** The registry omits an unreadable plugin and reports the reason. */
function sourceOf(plugin: Plugin | undefined): string | undefined {
  try {
    const source: unknown = plugin?.source;
    return typeof source === "string" ? source : undefined;
  } catch {
    return undefined;
  }
}

function installedPackage(file: string): string | undefined {
  for (let folder = dirname(file); folder.includes(`${sep}node_modules${sep}`); folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  return undefined;
}
