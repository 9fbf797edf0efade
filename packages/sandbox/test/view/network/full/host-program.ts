import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFullNetwork } from "../../../../src/view/network/full/full-network.ts";
import { openView } from "../../../../src/view/open-view.ts";

/** A host of its own: runs a script in a view with the whole network, and says how that went, a line of JSON first. */
const [folder, script] = process.argv.slice(2) as [string, string];
const full = findFullNetwork();
const hostFolder = realpathSync(mkdtempSync(join(folder, "host-")));
const names = join(hostFolder, "names");
writeFileSync(names, full.names?.text ?? "");
let close: (() => Promise<void>) | undefined;
const view = openView(
  {
    writable: [hostFolder],
    readOnly: [],
    pinned: [],
    hidden: [],
    extra: full.names === undefined ? [] : [{ from: names, to: full.names.path, access: "ro" }],
    network: full.kind === "host" ? "full" : "none",
  },
  {
    cacheFolder: mkdtempSync(join(folder, "cache-")),
    onOpen: async (open) => {
      const attached = await full.attach(open);
      close = async () => {
        // What leads out does not keep a host running by itself.
        const waiting = setInterval(() => {}, 1000);
        attached.close();
        process.stdout.write(`ended: ${await attached.ended}\n`);
        clearInterval(waiting);
      };
    },
  },
);
const processes = createHostProcesses({
  workspace: createHostWorkspace({ root: hostFolder }),
  view: view.launch,
  stateFolder: join(hostFolder, "state"),
});
try {
  const { id } = await processes.start("first", { script });
  process.stdout.write(`${JSON.stringify({ kind: full.kind })}\n`);
  for (let from = 0, total = 1, running = true; from < total || running;) {
    // First: what it says before its end is read after that.
    running = (await processes.wait(id, { timeoutMs: 0 })).exitCode === undefined;
    const output = await processes.read(id, from, { waitMs: 1000 });
    process.stdout.write(Buffer.concat(output.chunks.map(({ bytes }) => bytes)));
    ({ next: from, total } = output);
  }
  await close?.();
} catch (thrown) {
  process.stdout.write(`${JSON.stringify({ failed: (thrown as Error).message })}\n`);
}
await processes.close();
