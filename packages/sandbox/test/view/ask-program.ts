import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openView } from "../../src/view/open-view.ts";

/** A host of its own, for another user: saves a held file between two scripts, and says what they wrote. */
const bwrap = process.env["BWRAP_OF_TEST"];
const [root, stateFolder, ...scripts] = process.argv.slice(2) as [string, string, ...string[]];
const held = join(root, ".git/config");
const view = openView(
  {
    writable: [root],
    readOnly: [held],
    pinned: [],
    hidden: [join(root, ".env")],
    extra: [],
    network: "none",
  },
  bwrap === undefined ? {} : { bwrap },
);
const processes = createHostProcesses({
  workspace: createHostWorkspace({ root }),
  view: view.launch,
  stateFolder,
});
const lines: string[] = [];
for (const [at, script] of scripts.entries()) {
  const { id } = await processes.start(String(at), { script });
  await processes.wait(id);
  const { chunks } = await processes.read(id, 0);
  lines.push(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString());
  writeFileSync(join(root, "saved"), "by the host\n");
  renameSync(join(root, "saved"), held);
  await view.repair();
}
await processes.close();
process.stdout.write(JSON.stringify(lines));
