import { attempt, readRegularFile } from "@haft/system";
import { renameSync, writeFileSync } from "node:fs";
import type { Settings } from "../settings-file.ts";

export interface AddressChanges {
  removed: Settings;
  added: Settings;
}

type Stored = Record<string, { removed: Entries; added: Entries }>;
type Entries = Record<string, readonly string[]>;

/** Changes by commands, which later sessions must not treat as the user's. */
export class KnownAddresses {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  listFor(file: string): AddressChanges {
    const { removed = {}, added = {} } = this.#read()[file] ?? {};
    return { removed: new Map(Object.entries(removed)), added: new Map(Object.entries(added)) };
  }

  replaceFor(file: string, { removed, added }: AddressChanges): void {
    const all = this.#read();
    const next = { removed: Object.fromEntries(removed), added: Object.fromEntries(added) };
    if (JSON.stringify(all[file] ?? { removed: {}, added: {} }) === JSON.stringify(next)) return;
    writeFileSync(`${this.#path}.new`, JSON.stringify({ ...all, [file]: next }), { mode: 0o600 });
    renameSync(`${this.#path}.new`, this.#path);
  }

  #read(): Stored {
    return attempt(() => JSON.parse(readRegularFile(this.#path).toString()) as Stored) ?? {};
  }
}
