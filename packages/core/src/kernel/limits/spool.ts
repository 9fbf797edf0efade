import { makeFolder } from "@haft/utils";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { getErrorMessage } from "../../contract/errors.ts";

export type Spooled = { path: string; bytes: number } | { path?: undefined; reason: string };

/** Keeps the full text of what was too long to show. */
export interface Spool {
  /** Puts a text in a new file. Never throws: a full disk costs the copy only. Synchronous, so that the path can be read. */
  write(text: string): Spooled;
  /** Removes everything that was put aside. Afterwards nothing more is kept. */
  close(): Promise<void>;
}

export interface SpoolOptions {
  /** Where the spool makes its private folder; the system's temporary folder by default. */
  dir?: string;
  /** Bytes kept in all; 256 MiB by default. */
  maxBytes?: number;
  /** Files kept in all; 1,000 by default. */
  maxFiles?: number;
}

/** A spool whose folder (mode 0700, files 0600) appears with the first text and goes with `close()`. */
export function createSpool(options: SpoolOptions = {}): Spool {
  const { dir = tmpdir(), maxBytes = 256 * 1024 * 1024, maxFiles = 1000 } = options;
  let folder: string | undefined;
  let bytes = 0;
  let files = 0;
  let closed = false;

  const makeOwn = (): string => {
    makeFolder(dir);
    return mkdtempSync(join(resolve(dir), "haft-spool-"));
  };

  return {
    write(text) {
      if (closed) return { reason: "the session is closed" };
      const size = Buffer.byteLength(text);
      if (files >= maxFiles) return { reason: `the spool already holds ${maxFiles} files` };
      if (bytes + size > maxBytes) return { reason: `the spool holds at most ${maxBytes} bytes` };
      let path: string | undefined;
      try {
        folder ??= makeOwn();
        path = join(folder, `result-${files + 1}.txt`);
        writeFileSync(path, text, { flag: "wx", mode: 0o600 });
      } catch (thrown) {
        if (path !== undefined) rmSync(path, { force: true });
        return { reason: getErrorMessage(thrown) };
      }
      files++;
      bytes += size;
      return { path, bytes: size };
    },
    async close() {
      closed = true;
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      folder = undefined;
    },
  };
}
