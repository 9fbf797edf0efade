// Answers over a NATS server in its own process: `bare` echoes, `node` is a node. Arguments: server, kind,
// seed of the node, id of its host.
import {
  createIdentity,
  createNode,
  defineNodeCommand,
  type KnownHost,
  memoryRecords,
  serveNode,
} from "@haft/nodes";
import { openNatsBus } from "@haft/nodes/nats";
import { connect } from "@nats-io/transport-node";
import { schema } from "./calls.ts";
import { execute } from "./noop-tool.ts";

export const noopCommand = defineNodeCommand({
  name: "bench.look",
  description: "Does nothing.",
  parameters: schema as never,
  effects: ["read"],
  run: () => execute("", undefined),
});

async function answer(servers: string, which: string, seed: string, host: string): Promise<void> {
  if (which === "bare") {
    const nc = await connect({ servers });
    nc.subscribe("bare", { callback: (_error, message) => void message.respond(message.data) });
    await nc.flush();
  } else {
    const identity = createIdentity(seed);
    const hosts = memoryRecords<KnownHost>();
    hosts.write(host, { name: "bench", pairedAt: 1 });
    const node = createNode({ id: identity.id, name: "bench", commands: [noopCommand] });
    await serveNode(node, { bus: await openNatsBus({ servers }), identity, hosts });
  }
  process.stdout.write("ready\n");
}

const [servers, which, seed = "", host = ""] = process.argv.slice(2);
if (import.meta.main && servers !== undefined && which !== undefined)
  await answer(servers, which, seed, host);
