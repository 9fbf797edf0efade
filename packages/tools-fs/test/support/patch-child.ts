/**
 * Applies the patch to the workspace given first, with its journal in the folder given second, and
 * kills itself without warning before (`-`) or after (`+`) the file operation of the given number;
 * with `0` it lives, after having written "ready".
 */
import { createHostWorkspace } from "@haft/workspace";
import { keepCompiled } from "../../../../test/support/compile-cache.ts";
import { applyPatch } from "../../src/apply-patch/apply-patch-text.ts";
import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";
import { PATCH } from "./twenty-files.ts";
import { watchFileSystem } from "./watched-file-system.ts";

keepCompiled();
const [root = "", journal = "", when = "0"] = process.argv.slice(2);
const number = Math.abs(Number(when));
const kill = (call: { number: number }): void => {
  if (call.number === number) process.kill(process.pid, "SIGKILL");
};
const { fs } = createHostWorkspace({ root });
const watched = watchFileSystem(fs, when.startsWith("-") ? { before: kill } : { after: kill });
process.stdout.write("ready\n");
await applyPatch(PATCH, { fs: watched, root, journal: createDirectoryJournal(journal) });
