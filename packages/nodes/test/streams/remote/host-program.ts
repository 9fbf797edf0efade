// A host in a process of its own. Arguments: server, seed, node id, a script, bytes that are kept of what it writes, milliseconds
// between two looks whether the node is there.
// Says `started`, now and then how many bytes it has, and at the end what it has in JSON.
import { connectRunner } from "@haft/workspace/internal/wire";
import { createHash } from "node:crypto";
import { createIdentity, createNodes, memoryRecords, type NodePairing } from "../../../src/index.ts";
import { DEFAULT_LINK_TIMES } from "../../../src/link/link-times.ts";
import { linkTransportWithTimes } from "../../../src/link/link-transport.ts";
import { openNatsBus } from "../../../src/nats/index.ts";

const [servers = "", seed, id = "", script = "", spoolBytes = "0", checkMs = "2000"] = process.argv.slice(2);
const PIECE = 1024 * 1024;

const pairings = memoryRecords<NodePairing>();
pairings.write(id, { name: "worker", pairedAt: 1 });
const bus = await openNatsBus({ servers });
const times = { ...DEFAULT_LINK_TIMES, checkMs: Number(checkMs) };
const transport = linkTransportWithTimes({ bus, identity: createIdentity(seed), name: "test" }, times);
const nodes = createNodes({ transport, pairings });
await nodes.approve(id);
const opened = await nodes.openWorkspace({ target: nodes.resolveWorkspace({}) });
const { mounts } = opened;
const { processes } = await connectRunner(opened.stream, { mounts, silentMs: 30_000 });
const info = await processes.start("1", {
  script,
  shell: "sh",
  cwd: mounts[0]!.path,
  env: { PATH: process.env["PATH"]! },
  output: { ringBytes: PIECE, spoolBytes: Number(spoolBytes) },
});
process.stdout.write("started\n");
const hash = createHash("sha256");
let [at, bytes, dropped, reportedBytes, most] = [0, 0, 0, 0, 0];
for (;;) {
  const read = await processes.read(info.id, at, { max: PIECE, waitMs: 1_000 });
  for (const chunk of read.chunks) {
    hash.update(chunk.bytes);
    bytes += chunk.bytes.length;
  }
  dropped += read.dropped;
  at = read.next;
  most = Math.max(most, process.memoryUsage().rss);
  if (bytes - reportedBytes >= PIECE) {
    reportedBytes = bytes;
    process.stdout.write(`${bytes}\n`);
  }
  if (read.state !== "running" && at >= read.total) break;
}
process.stdout.write(
  `${JSON.stringify({ bytes, dropped, sha256: hash.digest("hex"), mostMb: Math.round(most / 1024 / 1024) })}\n`,
);
await nodes.close();
