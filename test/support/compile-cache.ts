import { mkdirSync, symlinkSync } from "node:fs";
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
