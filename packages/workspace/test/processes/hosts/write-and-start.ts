import { HaftError } from "@haft/core";
import { fenceWorkspace } from "@haft/core/internal";
import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { uptime } from "node:os";
import { keepCompiled } from "../../../../../test/support/compile-cache.ts";

/**
 * A host that writes files and starts commands without a rest, by a lease of so many milliseconds, until it is over:
 * `node write-and-start.ts ROOT STATE MS`. Says how each of both ended.
 */
keepCompiled();
const [root = "", stateFolder = "", ms = "0"] = process.argv.slice(2);
const plain = createHostWorkspace({ root });
const processes = createHostProcesses({ workspace: plain, stateFolder });
await processes.start("first", { script: "true" }, { waitMs: 60_000 });
const endsAt = uptime() * 1_000 + Number(ms);
const lease = {
  endsAt,
  check() {
    if (uptime() * 1_000 >= endsAt)
      throw new HaftError("SESSION_LEASE_LOST", "It is over.", { receipt: "none" });
  },
};
const workspace = fenceWorkspace({ fs: plain.fs, processes, describe: () => plain.describe() }, lease);
process.stdout.write(`${endsAt}\n`);

async function again(act: (count: number) => Promise<unknown>): Promise<string> {
  for (let count = 0; ; count++) {
    try {
      await act(count);
    } catch (thrown) {
      return HaftError.is(thrown) ? `${thrown.code} ${thrown.receipt}` : String(thrown);
    }
  }
}

const content = new Uint8Array(300_000);
const ends = await Promise.all([
  again((count) => workspace.fs.write(`files/${count % 50}`, content.fill(count % 251))),
  again((count) => workspace.fs.append("log", Buffer.from(`${count}\n`))),
  again((count) =>
    workspace.processes!.start(`c${count}`, { script: `echo ${count} >> started` }, { waitMs: 60_000 }),
  ),
]);
process.stdout.write(`${JSON.stringify(ends)}\n`);
await processes.close({ graceMs: 0 });
