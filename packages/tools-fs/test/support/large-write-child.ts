/** Writes one large file over and over, with its journal in the folder given second, until it is killed. */
import { createHostWorkspace } from "@haft/workspace";
import { keepCompiled } from "../../../../test/support/compile-cache.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";

keepCompiled();
const [root = "", journal = ""] = process.argv.slice(2);
const { fs } = createHostWorkspace({ root });
const engine = createChangeEngine({ fs, root, journal: createDirectoryJournal(journal) });
for (let round = 1; ; round += 1) {
  const bytes = Buffer.alloc(16 * 1024 * 1024, round % 251);
  await engine.change({
    paths: [{ path: "sub/large.bin" }],
    plan: async (tree) => tree.put(await tree.file("sub/large.bin"), bytes),
  });
}
