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
 * Describes a failure of a plugin in a session, after its trial.
 *
 * @example
 * ```ts
 * import type { RuntimeFailure } from "@haft/plugin-loader";
 * const format = ({ at, message }: RuntimeFailure) => `${new Date(at).toISOString()} ${message}`;
 * ```
 */
export interface RuntimeFailure {
  /** Names the kind of failure, for programs. */
  code: "FACTORY_FAILED" | "SETUP_FAILED" | "PLUGIN_UNHANDLED" | "PLUGIN_UNLOADABLE" | "PLUGIN_CHANGED";
  /** Explains the failure in a sentence. */
  message: string;
  /** Gives the time of the failure, in milliseconds since the epoch. */
  at: number;
  /** Names the affected tools. */
  names: readonly string[];
}

/**
 * Describes the only version of a package that may be loaded, as installed with `haft plugins add`.
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
  /** Contains the checksum of the fetched package: `sha512-…`, or the checksum of yarn. */
  integrity?: string;
  /** States whether it was installed only for this plugin. The removal of the plugin then also removes the package. */
  ours: boolean;
}

/**
 * Describes a named plugin: from its trial in a separate process, and from its manifest. A record is valid while Haft and Node,
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
  /** Contains the name of the plugin as written. */
  use: string;
  /** Names the absolute folder from which `use` is resolved. */
  from: string;
  /** Contains the versions of Haft, Node and the contract in its trial. */
  triedWith: string;
  /** Gives the time of its trial, in milliseconds since the epoch. */
  triedAt: number;
  /** Contains the real path of its module. */
  file?: string;
  /** Describes the package of the module. */
  package?: { name: string; version: string; folder: string };
  /** Names the loader of its module. */
  loader: "node" | "tsx";
  /** Maps the files that its trial loaded to content hashes. */
  files: Readonly<Record<string, FileStamp>>;
  /** Lists paths at which its trial searched and found nothing. */
  missing: readonly string[];
  /** Contains the plugin as data, if its trial succeeded. */
  plugin?: DescribedPlugin;
  /** Contains the manifest of its package. The trial found that the code does nothing beyond it, and the host enforces that. */
  manifest?: Manifest;
  /** Explains why it cannot be used, if its trial failed. */
  problem?: PluginProblem;
  /** Contains the id and tools of the last successful trial, if this trial failed. */
  before?: { id: string; names: readonly string[] };
  /** Contains sentences for its author: that it prints while it is loaded, or has unknown keys. */
  notes: readonly string[];
  /** Contains the last failure in a session after the trial. */
  late?: RuntimeFailure;
  /** Contains the version that an operator installed, if the plugin is pinned. */
  pinned?: PinnedPackage;
  /** Lists the files of the pinned packages. */
  packages?: readonly PinnedFiles[];
}

/** Used for the life of the process if records cannot be stored. */
const inMemory = new Map<string, PluginRecord>();

/**
 * Stores the records of plugins in a private folder of the state. Write access to it decides which plugins a host trusts. Without a state
 * folder, and after a failure of it, records are in memory only.
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
   * @param stateDir The state folder of the host; `undefined` for records in memory.
   * @param warn Receives a sentence if the folder cannot be used, at most once.
   */
  constructor(stateDir: string | undefined, warn: (message: string) => void) {
    this.#folder = stateDir === undefined ? undefined : new PrivateFolder(join(stateDir, "plugins"));
    this.#warn = warn;
  }

  /** Returns the record of a plugin, even if it is no longer valid. Returns `undefined` if there is none. */
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

  /** Adds a failure in a session to the record of a plugin. Without a record it does nothing. */
  recordFailure(placed: PluginReference, late: RuntimeFailure): void {
    const record = this.read(placed);
    if (record !== undefined) this.write(placed, { ...record, late });
  }

  #fail(thrown: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#warn(
      `Records of plugins cannot be stored, so each start tries the plugins again: ${getErrorMessage(thrown)}`,
    );
  }
}

/** A truncated record is ignored, and its plugin is tried again. */
function parse(text: string): PluginRecord | undefined {
  try {
    return JSON.parse(text) as PluginRecord;
  } catch {
    return undefined;
  }
}

let version: string | undefined;

/** Not imported, because bundlers would inline the file. */
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
