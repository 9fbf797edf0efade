import type { PluginReference } from "@haft/config/internal/document";
import { CONTRACT_VERSION, getErrorMessage } from "@haft/core";
import { PrivateFolder } from "@haft/system";
import { sha256 } from "@haft/utils";
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { join } from "node:path";
import type { DescribedPlugin, PluginProblem } from "../describe/describe-plugin.ts";
import type { FileStamp } from "../describe/file-stamps.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { PinnedFiles } from "../packages/pinned-files.ts";

/**
 * A failure of a plugin in a session, after its trial.
 *
 * @example
 * ```ts
 * import type { RuntimeFailure } from "@haft/plugin-loader";
 * const format = ({ at, message }: RuntimeFailure) => `${new Date(at).toISOString()} ${message}`;
 * ```
 */
export interface RuntimeFailure {
  /** The kind of failure, for programs. */
  code: "FACTORY_FAILED" | "SETUP_FAILED" | "PLUGIN_UNHANDLED" | "PLUGIN_UNLOADABLE" | "PLUGIN_CHANGED";
  /** What happened, as a sentence. */
  message: string;
  /** When it failed, in milliseconds since the epoch. */
  at: number;
  /** The names of the affected tools. */
  names: readonly string[];
}

/**
 * The only version of a package that may be loaded, as an operator installed it with `haft plugins add`.
 *
 * @example
 * ```ts
 * import type { PinnedPackage } from "@haft/plugin-loader";
 * const format = ({ version, integrity = "without a checksum" }: PinnedPackage) => `${version} (${integrity})`;
 * ```
 */
export interface PinnedPackage {
  /** The exact version. */
  version: string;
  /** The checksum of the package as it was fetched: `sha512-…`, or the checksum of yarn. */
  integrity?: string;
  /** Whether it was installed for this plugin alone. Then the removal of the plugin removes the package, too. */
  ours: boolean;
}

/**
 * What is known of a named plugin: from its trial in a process of its own, and from its manifest. A record is valid while Haft and Node,
 * {@link files} and {@link missing} are unchanged.
 *
 * @example
 * ```ts
 * import { getPluginRecord } from "@haft/plugin-loader/internal/plugins";
 * const reference = { use: "haft-plugin-weather", from: process.cwd(), source: "my program" };
 * const { problem, plugin } = await getPluginRecord(reference, { stateDir: undefined, warn: console.warn });
 * console.log(problem?.message ?? plugin?.registrations.flatMap(({ names }) => names));
 * ```
 */
export interface PluginRecord {
  /** The name of the plugin, as it was written. */
  use: string;
  /** The absolute folder from which `use` is resolved. */
  from: string;
  /** The versions of Haft, Node and the contract in its trial. */
  triedWith: string;
  /** The time of its trial, in milliseconds since the epoch. */
  triedAt: number;
  /** The real path of its module. */
  file?: string;
  /** The package to which the module belongs. */
  package?: { name: string; version: string; folder: string };
  /** What turns its module into JavaScript. */
  loader: "node" | "tsx";
  /** The files that its trial loaded, with their content hashes. */
  files: Readonly<Record<string, FileStamp>>;
  /** Paths at which its trial searched and found nothing. */
  missing: readonly string[];
  /** The plugin as data, if its trial succeeded. */
  plugin?: DescribedPlugin;
  /** The manifest of its package. The trial found that the code does nothing beyond it, and the host enforces that. */
  manifest?: Manifest;
  /** Why it cannot be used, if its trial failed. */
  problem?: PluginProblem;
  /** Its id and its tools at the last trial that succeeded, if this one failed. */
  before?: { id: string; names: readonly string[] };
  /** Sentences for its author: that it prints while it is loaded, or that it has unknown keys. */
  notes: readonly string[];
  /** What failed last in a session, after the trial. */
  late?: RuntimeFailure;
  /** The version that an operator installed, if the plugin is pinned. */
  pinned?: PinnedPackage;
  /** The files of the pinned packages. */
  packages?: readonly PinnedFiles[];
}

/** Where they are not kept, and where that is not possible: for as long as the process runs. */
const inMemory = new Map<string, PluginRecord>();

/**
 * The records of plugins, in a private folder of the state. Whoever can write there decides which plugins a host trusts. Without a
 * state folder, and after a failure of it, records are in memory only.
 *
 * @example
 * ```ts
 * import { PluginRecords } from "@haft/plugin-loader/internal/plugins";
 * const records = new PluginRecords("/var/lib/agent", console.warn);
 * const record = records.read({ use: "haft-plugin-weather", from: "/etc/agent", source: "my program" });
 * ```
 */
export class PluginRecords {
  readonly #folder: PrivateFolder | undefined;
  readonly #tell: (message: string) => void;
  #made = false;
  #failed = false;

  /**
   * @param stateDir The state folder of the host; `undefined` for records in memory.
   * @param tell Receives a sentence when the folder cannot be used, at most once.
   */
  constructor(stateDir: string | undefined, tell: (message: string) => void) {
    this.#folder = stateDir === undefined ? undefined : new PrivateFolder(join(stateDir, "plugins"));
    this.#tell = tell;
  }

  /** Returns the record of a plugin, also when it is no longer valid. Returns `undefined` when there is none. */
  read(placed: PluginReference): PluginRecord | undefined {
    const name = nameOf(placed);
    let text: string | undefined;
    try {
      if (this.#folder !== undefined && !this.#failed) {
        if (!this.#made) this.#folder.make();
        this.#made = true;
        text = this.#folder.read(name)?.text;
      }
    } catch (thrown) {
      this.#fail(thrown);
    }
    if (this.#folder === undefined || this.#failed) return inMemory.get(name);
    const record = text === undefined ? undefined : parse(text);
    return record?.use === placed.use && record.from === placed.from ? record : undefined;
  }

  /** Stores the record of a plugin. */
  write(placed: PluginReference, record: PluginRecord): void {
    const name = nameOf(placed);
    inMemory.set(name, record);
    if (this.#folder === undefined || this.#failed) return;
    try {
      this.#folder.replace(name, JSON.stringify(record));
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Removes the record of a plugin. */
  remove(placed: PluginReference): void {
    inMemory.delete(nameOf(placed));
    try {
      this.#folder?.remove(nameOf(placed));
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Adds a failure in a session to the record of a plugin. It does nothing when there is no record. */
  recordFailure(placed: PluginReference, late: RuntimeFailure): void {
    const record = this.read(placed);
    if (record !== undefined) this.write(placed, { ...record, late });
  }

  #fail(thrown: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#tell(
      `What is known of plugins is not kept, so each start tries them anew: ${getErrorMessage(thrown)}`,
    );
  }
}

/** One that was cut off is none: its plugin is tried again. */
function parse(text: string): PluginRecord | undefined {
  try {
    return JSON.parse(text) as PluginRecord;
  } catch {
    return undefined;
  }
}

let version: string | undefined;

/** Read and not imported: bundlers make modules of what is imported, and the command imports it later. */
function ownVersion(): string {
  return (JSON.parse(readFileSync(findPackageJSON(import.meta.url)!, "utf8")) as { version: string }).version;
}

/** Changed by whatever decides what loading it means. */
export function getTrialFingerprint(): string {
  return `haft ${(version ??= ownVersion())}, node ${process.version}, contract ${CONTRACT_VERSION}, record 2`;
}

function nameOf({ use, from }: PluginReference): string {
  return `${sha256(`${from}\0${use}`).slice(0, 32)}.json`;
}
