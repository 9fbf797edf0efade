import type { PluginReference } from "@haft/config/internal/document";
import { CONTRACT_VERSION, getErrorMessage } from "@haft/core";
import { PrivateFolder } from "@haft/system";
import { sha256, withoutUndefined } from "@haft/utils";
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { join } from "node:path";
import type { DescribedPlugin, PluginProblem } from "../describe/describe-plugin.ts";
import type { FileStamp } from "../describe/file-stamps.ts";
import type { Manifest } from "../manifest/manifest.ts";
import type { PinnedFiles } from "../packages/pinned-files.ts";

/**
 * Describes a failure in a session, after the trial.
 *
 * @example
 * ```ts
 * import type { RuntimeFailure } from "@haft/plugin-loader";
 * const format = ({ at, message }: RuntimeFailure) => `${new Date(at).toISOString()} ${message}`;
 * ```
 */
export interface RuntimeFailure {
  /** Names the failure, for programs. */
  code: "FACTORY_FAILED" | "SETUP_FAILED" | "PLUGIN_UNHANDLED" | "PLUGIN_UNLOADABLE" | "PLUGIN_CHANGED";
  /** Explains in one sentence. */
  message: string;
  /** Gives the time, in milliseconds since the epoch. */
  at: number;
  /** Names the affected tools. */
  names: readonly string[];
}

/**
 * Describes the only version that may be loaded, as installed with `haft plugins add`.
 *
 * @example
 * ```ts
 * import type { PinnedPackage } from "@haft/plugin-loader";
 * const format = ({ version, integrity = "without a checksum" }: PinnedPackage) => `${version} (${integrity})`;
 * ```
 */
export interface PinnedPackage {
  /** Gives the exact version. */
  version: string;
  /** Contains the checksum of the package: `sha512-…`, or that of yarn. */
  integrity?: string;
  /** States whether it was installed only for this plugin. A removal of the plugin then removes it. */
  ours: boolean;
}

/**
 * Describes a named plugin, from its trial and its manifest. A record is valid while Haft and Node, {@link files} and {@link missing} are
 * unchanged.
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
  /** Contains the name as written. */
  use: string;
  /** Names the absolute folder for `use`. */
  from: string;
  /** Contains the versions of Haft, Node and the contract. */
  triedWith: string;
  /** Gives the time of its trial, in milliseconds since the epoch. */
  triedAt: number;
  /** Contains the real path of its module. */
  file?: string;
  /** Describes its package. */
  package?: { name: string; version: string; folder: string };
  /** Names its loader. */
  loader: "node" | "tsx";
  /** Maps loaded files to content hashes. */
  files: Readonly<Record<string, FileStamp>>;
  /** Lists paths at which its trial found nothing. */
  missing: readonly string[];
  /** Contains the plugin as data, after a success. */
  plugin?: DescribedPlugin;
  /** Contains the manifest of its package. The host enforces that the code does nothing beyond it. */
  manifest?: Manifest;
  /** Explains a failed trial. */
  problem?: PluginProblem;
  /** Contains id and tools of the last successful trial, if this trial failed. */
  before?: { id: string; names: readonly string[] };
  /** Contains sentences for its author. */
  notes: readonly string[];
  /** Contains the last failure after the trial. */
  late?: RuntimeFailure;
  /** Contains the version of a pinned plugin. */
  pinned?: PinnedPackage;
  /** Lists the files of the pinned packages. */
  packages?: readonly PinnedFiles[];
}

/** Used if records cannot be stored. */
const inMemory = new Map<string, PluginRecord>();

/**
 * Stores the records of plugins in a private folder. Write access to it decides which plugins a host trusts. Without a state folder, and
 * after a failure of it, records are in memory only.
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
  readonly #warn: (message: string) => void;
  #made = false;
  #failed = false;

  /**
   * @param stateDir `undefined` for records in memory.
   * @param warn Receives a sentence at most once, if the folder cannot be used.
   */
  constructor(stateDir: string | undefined, warn: (message: string) => void) {
    this.#folder = stateDir === undefined ? undefined : new PrivateFolder(join(stateDir, "plugins"));
    this.#warn = warn;
  }

  /** Returns the record of a plugin, even if invalid; `undefined` if there is none. */
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

  remove(placed: PluginReference): void {
    inMemory.delete(nameOf(placed));
    try {
      this.#folder?.remove(nameOf(placed));
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Adds a failure to a record, or removes it. Without a record it does nothing. */
  recordFailure(placed: PluginReference, late: RuntimeFailure | undefined): void {
    const record = this.read(placed);
    if (record !== undefined) this.write(placed, withoutUndefined<PluginRecord>({ ...record, late }));
  }

  #fail(thrown: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#warn(
      `Records of plugins cannot be stored, so each start tries the plugins again: ${getErrorMessage(thrown)}`,
    );
  }
}

/** A plugin with a truncated record is tried again. */
function parse(text: string): PluginRecord | undefined {
  try {
    return JSON.parse(text) as PluginRecord;
  } catch {
    return undefined;
  }
}

let version: string | undefined;

/** Bundlers would inline an imported file. */
function readHaftVersion(): string {
  return (JSON.parse(readFileSync(findPackageJSON(import.meta.url)!, "utf8")) as { version: string }).version;
}

/** Identifies everything that affects the loading of a plugin. */
export function getTrialFingerprint(): string {
  return `haft ${(version ??= readHaftVersion())}, node ${process.version}, contract ${CONTRACT_VERSION}, record 2`;
}

function nameOf({ use, from }: PluginReference): string {
  return `${sha256(`${from}\0${use}`).slice(0, 32)}.json`;
}
