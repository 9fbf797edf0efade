import { mkdirSync, symlinkSync } from "node:fs";
import * as nodeModule from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where Node keeps what it made of the sources, for all programs that tests start. */
export const compileCache = fileURLToPath(new URL("../../node_modules/.cache/haft-tests", import.meta.url));

/** A new folder for the state of processes, whose runners start as fast as those of a host that has run before. */
export function stateFolderIn(folder: string): string {
  const stateFolder = join(folder, "state");
  mkdirSync(stateFolder, { mode: 0o700 });
  mkdirSync(compileCache, { recursive: true });
  symlinkSync(compileCache, join(stateFolder, ".compiled"));
  return stateFolder;
}

/** For programs that tests kill, once they are loaded: Node writes down what it compiled only when one ends by itself. */
export function keepCompiled(): void {
  // Node 20 has no such cache.
  if ("flushCompileCache" in nodeModule) nodeModule.flushCompileCache();
}
