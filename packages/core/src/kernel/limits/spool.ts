import { makeFolder } from "@haft/utils";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { getErrorMessage } from "../../contract/errors.ts";

export type Spooled = { path: string; bytes: number } | { path?: undefined; reason: string };

export interface Spool {
  /** Writes a file synchronously, so that its path is readable at once. Never throws, even on a full disk. */
  write(text: string): Spooled;
  close(): Promise<void>;
}

export interface SpoolOptions {
  dir?: string;
  maxBytes?: number;
  maxFiles?: number;
}

/** Creates a spool. Its folder (mode 0700, files 0600) exists from the first text to `close()`. */
export function createSpool(options: SpoolOptions = {}): Spool {
  const { dir = tmpdir(), maxBytes = 256 * 1024 * 1024, maxFiles = 1000 } = options;
  let folder: string | undefined;
  let bytes = 0;
  let files = 0;
  let closed = false;

  const createPrivate = (): string => {
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
        folder ??= createPrivate();
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
