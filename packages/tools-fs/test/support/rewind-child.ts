/**
 * Takes back every change of the session `s` in the workspace given first, by the journal in the folder given second, and
 * kills itself without warning before the file operation of the given number; with `0` it lives, and writes how many there were.
 */
import { createHostWorkspace } from "@haft/workspace";
import { keepCompiled } from "../../../../test/support/compile-cache.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";
import { watchFileSystem } from "./watched-file-system.ts";

keepCompiled();
const [root = "", folder = "", when = "0"] = process.argv.slice(2);
const changing: number[] = [];
const { fs } = createHostWorkspace({ root });
const watched = watchFileSystem(fs, {
  before: ({ number, changes }) => {
    if (number === Number(when)) process.kill(process.pid, "SIGKILL");
    if (changes) changing.push(number);
  },
});
const engine = createChangeEngine({ fs: watched, root, journal: createDirectoryJournal(folder) });
await engine.rewind({ matches: ({ sessionKey }) => sessionKey === "s" });
process.stdout.write(JSON.stringify(changing));
