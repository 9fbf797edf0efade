// A host in a process of its own, that is told what to do by lines of JSON. Arguments: server, seed, and ids of nodes, with names.
import { HaftError } from "@haft/core";
import { createInterface } from "node:readline";
import {
  createIdentity,
  createLinkTransport,
  createNodes,
  memoryRecords,
  type NodePairing,
} from "../../src/index.ts";
import { openNatsBus } from "../../src/nats/index.ts";

/** One call, and which it is. */
export interface InvokeRequest {
  readonly at: number;
  readonly node: string;
  readonly command: string;
  readonly params: object;
  readonly timeoutMs?: number;
}

const [servers = "", seed, ...nodes] = process.argv.slice(2);
const bus = await openNatsBus({ servers });
const pairings = memoryRecords<NodePairing>();
const host = createNodes({
  transport: createLinkTransport({ bus, identity: createIdentity(seed), name: "host" }),
  pairings,
});
for (const [at, id] of nodes.entries()) {
  pairings.write(id, { name: `n${at}`, pairedAt: 1 });
  await host.approve(id);
}
const reply = (answered: object) => process.stdout.write(`${JSON.stringify(answered)}\n`);
createInterface({ input: process.stdin })
  .on("line", (line) => void ask(JSON.parse(line) as InvokeRequest))
  .on("close", () => process.kill(process.pid));
reply({ at: -1, answer: "ready" });

async function ask({ at, node, command, params, timeoutMs }: InvokeRequest): Promise<void> {
  let answer = "ok";
  try {
    const target = host.resolve({ node, command });
    await host.invoke({ target, params: { ...params }, timeoutMs });
  } catch (thrown) {
    answer = HaftError.is(thrown) ? `${thrown.code} ${thrown.receipt}` : String(thrown);
  }
  reply({ at, answer });
}
