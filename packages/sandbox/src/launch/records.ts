import { messageOf } from "@haft/core";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxRef } from "../backend.ts";
import type { BackendError } from "../errors.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { isAlive } from "./process-identity.ts";

/** What is written down of an open sandbox, for other programs of the same user and for after a crash. */
export interface SandboxRecord {
  ref: SandboxRef;
  /** The launcher itself, and the first process it started: when both are gone, everything is. */
  processes: ProcessIdentity[];
  /** Who is about to start it. It is not there yet, and what is made for it is not to be cleaned up. */
  host?: ProcessIdentity | undefined;
  /** Pids mean something in one boot only. */
  boot: string;
  /** Folders of its control group. */
  groups: readonly string[];
  /** A folder that goes with it. */
  folder?: string;
}

const ENDING = ".json";

/** The records of one user. */
export class SandboxRecords {
  readonly folder: string;
  readonly #error: BackendError;

  constructor(
    error: BackendError,
    folder: string = join(tmpdir(), `haft-${process.getuid?.() ?? "user"}-sandboxes`),
  ) {
    this.#error = error;
    this.folder = folder;
  }

  /** @throws HaftError `SANDBOX_START_FAILED` when the folder cannot be had for this user alone. */
  open(): void {
    const folder = JSON.stringify(this.folder);
    const fix = "Remove it, or give a `stateFolder` of your own.";
    let owner: number;
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      const { uid, mode } = lstatSync(this.folder);
      owner = uid;
      if ((mode & 0o077) !== 0) chmodSync(this.folder, 0o700);
    } catch (thrown) {
      throw this.#error(
        "SANDBOX_START_FAILED",
        `the folder ${folder} cannot be used: ${messageOf(thrown)}`,
        fix,
        { cause: thrown },
      );
    }
    if (owner !== process.getuid?.())
      throw this.#error("SANDBOX_START_FAILED", `the folder ${folder} belongs to another user`, fix);
  }

  put(record: Omit<SandboxRecord, "boot">): void {
    const path = this.#path(record.ref.id);
    writeFileSync(`${path}.new`, JSON.stringify({ ...record, boot: bootId() }), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }

  remove(id: string): void {
    rmSync(this.#path(id), { force: true });
  }

  /** Living ones, and those whose processes are gone: a host that was killed left their records and empty groups. */
  read(): { living: SandboxRecord[]; dead: SandboxRecord[] } {
    const living: SandboxRecord[] = [];
    const dead: SandboxRecord[] = [];
    const boot = bootId();
    for (const name of namesIn(this.folder)) {
      if (!name.endsWith(ENDING)) continue;
      try {
        const record = JSON.parse(readFileSync(join(this.folder, name), "utf8")) as SandboxRecord;
        const { processes, host = [] } = record;
        const lives = record.boot === boot && processes.concat(host).some(isAlive);
        (lives ? living : dead).push(record);
      } catch {
        // Removed in between.
      }
    }
    return { living, dead };
  }

  #path(id: string): string {
    return join(this.folder, `${id}${ENDING}`);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}
