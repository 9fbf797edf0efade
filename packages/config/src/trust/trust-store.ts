import { getErrorMessage } from "@haft/core";
import { PrivateFolder } from "@haft/system";
import { sha256 } from "@haft/utils";
import { join } from "node:path";
import { parseRecord, type TrustRecord } from "./trust-record.ts";

export interface TrustLookup {
  record?: TrustRecord;
  problem?: string;
}

/** One file for each configuration, in a folder of the user's state that no session reads or writes. */
export class TrustStore {
  readonly #folder: PrivateFolder;

  constructor(stateDir: string) {
    this.#folder = new PrivateFolder(join(stateDir, "trust"));
  }

  find(path: string): TrustLookup {
    return this.#read(nameOf(path), path);
  }

  all(): { records: TrustRecord[]; problems: string[] } {
    const found = this.#folder.names().map((name) => this.#read(name));
    return {
      records: found.flatMap(({ record }) => record ?? []).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
      problems: found.flatMap(({ problem }) => problem ?? []),
    };
  }

  /** @throws HaftError `STATE_FOLDER_FAILED` */
  add(record: TrustRecord): void {
    this.#folder.make();
    this.#folder.replace(nameOf(record.path), JSON.stringify(record));
  }

  /** Returns false if it was not trusted. @throws HaftError `STATE_FOLDER_FAILED` */
  remove(path: string): boolean {
    return this.#folder.remove(nameOf(path));
  }

  #read(name: string, path?: string): TrustLookup {
    try {
      const text = this.#folder.read(name)?.text;
      return text === undefined ? {} : { record: parseRecord(text, path) };
    } catch (thrown) {
      return {
        problem: `The record of trust ${join(this.#folder.path, name)} is not used: ${getErrorMessage(thrown).replace(/\.$/, "")}.`,
      };
    }
  }
}

function nameOf(path: string): string {
  return `${sha256(path).slice(0, 32)}.json`;
}
