import {
  attempt,
  getOwnerStatus,
  makePrivateFolder,
  type Owner,
  getCurrentOwner,
  readRegularFile,
} from "@haft/system";
import {
  closeSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { ABANDONED_MS } from "../../defaults.ts";

const LARGEST = 64 * 1024 * 1024;

export interface UnfinishedScan {
  roots: readonly string[];
  repositories: readonly string[];
  later: readonly string[];
  known: readonly (readonly [path: string, identity: string])[];
  /** Milliseconds; start of the first unchecked command. */
  since: number;
}

const DIGITS = 15;

export class ScanRecord {
  readonly #path: string;
  readonly #what: Omit<UnfinishedScan, "known" | "since">;
  readonly #file: number;
  #since = 0;
  #written = "";

  constructor(folder: string, id: string, what: Omit<UnfinishedScan, "known" | "since">) {
    makePrivateFolder(folder);
    this.#path = join(folder, id);
    this.#what = what;
    this.#file = openSync(`${this.#path}.since`, "wx", 0o600);
    try {
      this.#write(0);
    } catch (thrown) {
      closeSync(this.#file);
      removeRecord(this.#path);
      throw thrown;
    }
  }

  get isOpen(): boolean {
    return this.#since !== 0;
  }

  markStarted(since: number): void {
    if (this.#since === 0) this.#write(since);
  }

  markScanned(): void {
    if (this.#since !== 0) this.#write(0);
  }

  remember(known: UnfinishedScan["known"], repositories: readonly string[]): void {
    const text = JSON.stringify({ ...this.#what, repositories, known, owner: getCurrentOwner() });
    if (text === this.#written) return;
    writeFileSync(`${this.#path}.new`, text, { mode: 0o600 });
    renameSync(`${this.#path}.new`, `${this.#path}.json`);
    this.#written = text;
  }

  /** An unfinished record remains for the next process. */
  close(): void {
    closeSync(this.#file);
    if (this.#since === 0) removeRecord(this.#path);
  }

  #write(since: number): void {
    writeSync(this.#file, String(Math.floor(since)).padStart(DIGITS, "0"), 0);
    this.#since = since;
  }
}

export async function forEachUnfinishedScan(
  folder: string,
  finish: (left: UnfinishedScan) => Promise<boolean>,
): Promise<void> {
  for (const name of (attempt(() => readdirSync(folder)) ?? []).filter((one) => one.endsWith(".since"))) {
    const path = join(folder, name.slice(0, -".since".length));
    const since = Number(attempt(() => readRegularFile(`${path}.since`).toString("utf8")));
    const what = attempt(
      () =>
        JSON.parse(
          readRegularFile(`${path}.json`, { maxBytes: LARGEST }).toString("utf8"),
        ) as UnfinishedScan & {
          owner: Owner;
        },
    );
    const fate = what === undefined ? "unknown" : getOwnerStatus(what.owner);
    if (fate === "alive") continue;
    if (what !== undefined && since > 0) {
      if (!(await finish({ ...what, since }))) continue;
      // A process of another container may still write here.
      writeFileSync(`${path}.since`, "0".repeat(DIGITS), { flag: "r+" });
    }
    const age = Date.now() - (attempt(() => statSync(`${path}.since`).mtimeMs) ?? 0);
    if (fate === "gone" || age > ABANDONED_MS) removeRecord(path);
  }
}

function removeRecord(path: string): void {
  for (const ending of ["json", "new", "since"]) rmSync(`${path}.${ending}`, { force: true });
}
