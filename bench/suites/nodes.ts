import { Registry, SessionFactory } from "@haft/core/kernel";
import {
  createIdentity,
  createLinkTransport,
  createLocalTransport,
  createNode,
  createNodes,
  createNodesPlugin,
  memoryRecords,
  type NodePairing,
  type Nodes,
  type NodeTransport,
} from "@haft/nodes";
import { openNatsBus } from "@haft/nodes/nats";
import { createPolicy } from "@haft/policy";
import { createHostWorkspace } from "@haft/workspace";
import { connect } from "@nats-io/transport-node";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Suite, TimedSubject } from "../suite.ts";
import { createArguments } from "../work/calls.ts";
import { noopCommand } from "../work/nats-answers.ts";
import { startNatsServer } from "../work/nats-server.ts";
import { noopPlugin } from "../work/noop-tool.ts";

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const CALLS = 500;
const ID = "bench";

async function calls(
  plugin: typeof noopPlugin,
  name: string,
  args: (call: number) => unknown,
  close?: () => unknown,
): Promise<TimedSubject> {
  const registry = new Registry({ plugins: [plugin], builtIn: [plugin.id] });
  const rules = name === "node_invoke" ? { grant: ["node_invoke"] } : {};
  const policy = name === "look" ? ALLOWED : createPolicy(rules, { tools: await registry.survey(SILENT) });
  const sessions = new SessionFactory({ registry, policy });
  const workspace = createHostWorkspace({ root: import.meta.dirname });
  let at = 0;
  const session = await sessions.open({ kind: "main", workspace });
  return {
    operations: CALLS,
    runs: 1,
    async run() {
      for (let call = 0; call < CALLS; call++) {
        const outcome = await session.call({ name, arguments: args(at++) });
        if (outcome.kind !== "ok") throw new Error(`The call was refused: ${JSON.stringify(outcome)}`);
      }
    },
    async close() {
      await session.close();
      await close?.();
    },
  };
}

const ALLOW = { effect: "allow", id: "allow", reason: "Everything is allowed.", trace: [] } as const;
const ALLOWED = { forSession: () => ({ visibility: () => ALLOW, call: () => ALLOW }) };

async function through(transport: NodeTransport, id: string, close?: () => unknown): Promise<TimedSubject> {
  const pairings = memoryRecords<NodePairing>();
  pairings.write(id, { name: "bench", pairedAt: 1 });
  const nodes: Nodes = createNodes({ transport, pairings });
  await nodes.approve(id);
  const args = (call: number) => ({ command: noopCommand.name, params: createArguments(call) });
  return await calls(createNodesPlugin(nodes), "node_invoke", args, async () => {
    await nodes.close();
    await close?.();
  });
}

async function answering(...words: string[]): Promise<ChildProcess> {
  const program = join(import.meta.dirname, "../work/nats-answers.ts");
  const child = spawn(process.execPath, ["--conditions=@haft/source", "--no-warnings", program, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

async function overNats(): Promise<TimedSubject> {
  const { url, stop } = await startNatsServer();
  const [host, node] = [createIdentity(), createIdentity()];
  const child = await answering(url, "node", node.seed, host.id);
  const bus = await openNatsBus({ servers: url });
  const transport = createLinkTransport({ bus, identity: host, name: ID });
  return await through(transport, node.id, () => {
    child.kill("SIGKILL");
    stop();
  });
}

async function bareRequests(): Promise<TimedSubject> {
  const { url, stop } = await startNatsServer();
  const child = await answering(url, "bare");
  const nc = await connect({ servers: url });
  let at = 0;
  return {
    operations: CALLS,
    runs: 1,
    async run() {
      for (let call = 0; call < CALLS; call++) {
        const body = JSON.stringify({ command: noopCommand.name, params: createArguments(at++) });
        (await nc.request("bare", body)).json();
      }
    },
    async close() {
      await nc.close();
      child.kill("SIGKILL");
      stop();
    },
  };
}

export const suite: Suite = {
  name: "nodes",
  title: "Calls of other machines",
  cases: [
    {
      name: "node_invoke of a node in this process",
      about: "A command that does nothing, through a session. limit: a tool that does nothing.",
      subjects: {
        Haft: () => through(createLocalTransport([createNode({ id: ID, commands: [noopCommand] })]), ID),
        limit: () => calls(noopPlugin, "look", createArguments),
      },
    },
    {
      name: "node_invoke of a node over a NATS server",
      about: "Server and node are separate processes, and messages are authenticated. limit: a bare request.",
      subjects: { Haft: overNats, limit: bareRequests },
    },
  ],
};
