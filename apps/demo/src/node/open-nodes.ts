import {
  createIdentity,
  createLinkTransport,
  createLocalTransport,
  createNodes,
  memoryRecords,
  type NodePairing,
  type Nodes,
} from "@haft/nodes";
import { openNatsBus } from "@haft/nodes/nats";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createDemoNode } from "./demo-node.ts";

/** The node, as a host has it. */
export interface OpenedNodes {
  readonly nodes: Nodes;
  readonly id: string;
  /** Where it is, for people. */
  readonly where: string;
  /** What was done so that each takes the other for what it says it is. */
  readonly paired: string;
  /** The node ends with it. */
  close(): Promise<void>;
}

/** @param folder of the node */
export function openNodes(folder: string): Promise<OpenedNodes> {
  const server = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((each) => join(each, "nats-server"))
    .find((path) => existsSync(path));
  return server === undefined ? openHere(folder) : openElsewhere(folder, server);
}

async function openHere(folder: string): Promise<OpenedNodes> {
  const node = createDemoNode("workshop", folder);
  const nodes = createNodes({ transport: createLocalTransport([node]) });
  return {
    nodes,
    id: node.id,
    where: "in this process, because there is no nats-server here",
    paired: "No pairing: it is the host's own.",
    async close() {
      await nodes.close();
      await node.close();
    },
  };
}

async function openElsewhere(folder: string, server: string): Promise<OpenedNodes> {
  const program = fileURLToPath(new URL("node-program.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@haft/source", program, server, folder], {
    cwd: folder,
    stdio: ["pipe", "pipe", "inherit"],
    // Ctrl-C is for the host, which says goodbye first.
    detached: true,
  });
  const closed = once(child, "close");
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("The node ended before the demo did.");
    return JSON.parse(value) as { id: string; url: string; code: string; paired: boolean };
  };
  let nodes: Nodes | undefined;
  const close = async () => {
    await nodes?.close();
    child.stdin.end();
    await closed;
  };
  try {
    const { id, url } = await next();
    const bus = await openNatsBus({ servers: url });
    const transport = createLinkTransport({ bus, identity: createIdentity(), name: "demo" });
    nodes = createNodes({ transport, pairings: memoryRecords<NodePairing>() });
    const offer = await nodes.pair(id);
    child.stdin.write(`${offer.code}\n`);
    const { code, paired } = await next();
    if (!paired)
      throw new Error(`The host showed ${offer.code} and the node ${code}, so they are not paired.`);
    offer.accept();
    const said = `Paired: both sides show ${code}.`;
    return {
      nodes,
      id,
      where: `another process, met on a nats-server at ${new URL(url).host}`,
      paired: said,
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}
