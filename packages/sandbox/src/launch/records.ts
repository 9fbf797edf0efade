import { getErrorMessage } from "@haft/core";
import {
  type ProcessIdentity,
  attempt,
  bootId,
  isAlive,
  makePrivateFolder,
  PrivateFolder,
} from "@haft/system";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxRef } from "../backend.ts";
import type { BackendError } from "../errors.ts";

export interface SandboxRecord {
  ref: SandboxRef;
  /** The launcher and its first child, with which all others end. */
  processes: ProcessIdentity[];
  /** The starting host, whose folders must not be cleaned up yet. */
  host?: ProcessIdentity | undefined;
  /** Process ids are valid for one boot. */
  boot: string;
  groups: readonly string[];
  folder?: string;
}

const ENDING = ".json";
const OTHERWISE = "set `stateFolder` to another folder";

export class SandboxRecords {
  readonly #error: BackendError;
  readonly #folder: PrivateFolder;

  constructor(
    error: BackendError,
    folder: string = join(tmpdir(), `haft-${process.getuid?.() ?? "user"}-sandboxes`),
  ) {
    this.#error = error;
    this.#folder = new PrivateFolder(folder, OTHERWISE);
  }

  get folder(): string {
    return this.#folder.path;
  }

  open(): void {
    try {
      makePrivateFolder(this.folder);
    } catch (thrown) {
      const why = `its records cannot be stored: ${getErrorMessage(thrown)}`;
      const fix = `Remove the existing files, or ${OTHERWISE}.`;
      throw this.#error("SANDBOX_START_FAILED", why, fix, { cause: thrown });
    }
  }

  put(record: Omit<SandboxRecord, "boot">): void {
    this.#folder.replace(fileOf(record.ref.id), JSON.stringify({ ...record, boot: bootId() }));
  }

  remove(id: string): void {
    this.#folder.remove(fileOf(id));
  }

  read(): { living: SandboxRecord[]; dead: SandboxRecord[] } {
    const living: SandboxRecord[] = [];
    const dead: SandboxRecord[] = [];
    const boot = bootId();
    for (const name of attempt(() => this.#folder.names()) ?? []) {
      if (!name.endsWith(ENDING)) continue;
      // Skips removed and foreign files.
      attempt(() => {
        const record = JSON.parse(this.#folder.read(name)?.text ?? "") as SandboxRecord;
        const { processes, host = [] } = record;
        const lives = record.boot === boot && processes.concat(host).some((one) => isAlive(one));
        (lives ? living : dead).push(record);
      });
    }
    return { living, dead };
  }
}

function fileOf(id: string): string {
  return `${id}${ENDING}`;
}
