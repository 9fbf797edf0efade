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

/** What went wrong after the trial: in a session. */
export interface RuntimeFailure {
  /** Which kind, for programs. */
  code: "FACTORY_FAILED" | "SETUP_FAILED" | "PLUGIN_UNHANDLED" | "PLUGIN_UNLOADABLE" | "PLUGIN_CHANGED";
  /** What happened, as a sentence. */
  message: string;
  /** When, in milliseconds since 1970. */
  at: number;
  /** The tools it was about. */
  names: readonly string[];
}

/** The version of a package that an operator installed, and no other: see `haft plugins add`. */
export interface PinnedPackage {
  /** That one, and no other. */
  version: string;
  /** Of the package as it was fetched: `sha512-…`, of yarn its checksum. */
  integrity?: string;
  /** It was installed for this alone, so it may be removed with it. */
  ours: boolean;
}

/**
 * What is known of a plugin that is named: from the trial, in a process of its own, and from its manifest. Holds while {@link getTrialFingerprint}, {@link files} and {@link missing} are as they were.
 */
export interface PluginRecord {
  use: string;
  from: string;
  /** Haft, Node and the contract it was tried with. */
  triedWith: string;
  /** Milliseconds since 1970. */
  triedAt: number;
  file?: string;
  package?: { name: string; version: string; folder: string };
  loader: "node" | "tsx";
  files: Readonly<Record<string, FileStamp>>;
  missing: readonly string[];
  plugin?: DescribedPlugin;
  /** What its package says of it. The code was found to do nothing beyond it, and is held to it. */
  manifest?: Manifest;
  problem?: PluginProblem;
  before?: { id: string; names: readonly string[] };
  /** What its author should know: that it prints while it is loaded, keys that nobody reads. Sentences. */
  notes: readonly string[];
  late?: RuntimeFailure;
  pinned?: PinnedPackage;
  packages?: readonly PinnedFiles[];
}

/** Where they are not kept, and where that is not possible: for as long as the process runs. */
const inMemory = new Map<string, PluginRecord>();

/** Where records are; every one is believed, so nobody else may write there. */
export class PluginRecords {
  readonly #folder: PrivateFolder | undefined;
  readonly #tell: (message: string) => void;
  #made = false;
  #failed = false;

  constructor(stateDir: string | undefined, tell: (message: string) => void) {
    this.#folder = stateDir === undefined ? undefined : new PrivateFolder(join(stateDir, "plugins"));
    this.#tell = tell;
  }

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
