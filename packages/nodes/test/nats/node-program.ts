// A node in a process of its own. Arguments: server, seed, ids of hosts (with commas), a file that tells what ran, milliseconds its clock is ahead.
import { Type } from "@haft/plugin-sdk";
import { appendFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import {
  createIdentity,
  createNode,
  defineNodeCommand,
  type KnownHost,
  memoryRecords,
  serveNode,
} from "../../src/index.ts";
import { openNatsBus } from "../../src/nats/index.ts";

const [servers = "", seed, host = "", file = "", ahead = "0"] = process.argv.slice(2);
const now = Date.now;
Date.now = () => now() + Number(ahead);

const identity = createIdentity(seed);
const hosts = memoryRecords<KnownHost>();
for (const id of host.split(",")) hosts.write(id, { name: "test", pairedAt: 1 });
const note = (what: string) => appendFileSync(file, `${what}\n`);

const commands = [
  defineNodeCommand({
    name: "work.start",
    description: "Begins, and ends when it is stopped.",
    parameters: Type.Object({ what: Type.String() }),
    effects: ["write"],
    run({ what }, { signal }) {
      note(what);
      return new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      );
    },
  }),
  defineNodeCommand({
    name: "work.take",
    description: "Takes so long, whoever stops it.",
    parameters: Type.Object({ what: Type.String(), ms: Type.Integer() }),
    effects: ["write"],
    async run({ what, ms }) {
      note(what);
      await setTimeout(ms);
      return { content: [{ type: "text", text: what }], details: {} };
    },
  }),
  defineNodeCommand({
    name: "work.note",
    description: "Writes it down.",
    parameters: Type.Object({ what: Type.String() }),
    effects: ["write"],
    run({ what }) {
      note(what);
      return { content: [{ type: "text", text: what }], details: {} };
    },
  }),
];
const node = createNode({ id: identity.id, name: "worker", commands });
await serveNode(node, { bus: await openNatsBus({ servers }), identity, hosts });
process.stdout.write("ready\n");
