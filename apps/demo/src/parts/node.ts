import type { ToolMeta } from "@haft/core";
import { createLocalTransport, createNode, createNodes, defineNodeCommand, type Nodes } from "@haft/nodes";
import { text, Type } from "@haft/plugin-sdk";
import { createBubblewrapBackend, offerWorkspace } from "@haft/sandbox";
import type { HostOptions } from "haft";
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { check, checkTests, differences, takeSnapshot } from "../look.ts";
import type { ProjectCopy } from "../project-copy.ts";
import { paint, type Screen } from "../screen.ts";
import { applyAdvice, callsOf, createDemoHost, repairInside, watchSession } from "../session.ts";
import type { Part, Speaker, Stage } from "../stage.ts";

const RING = { name: "node_invoke", arguments: { command: "bell.ring", params: { times: 2 } } };

/** The same bug, the same tools, a node. */
export const nodePart: Part = {
  name: "node",
  title: "Another machine: the same repair in a workspace of a node (sandboxed session)",
  async run(stage, screen) {
    const { copy, report } = stage;
    const { available, reason = "bubblewrap does not work", fix } = await createBubblewrapBackend().probe();
    if (!available) {
      report.node = { missing: reason };
      screen.prose(`A node opens its workspace in a sandbox, and here it cannot: ${reason}`);
      screen.prose("So this part is left out.");
      if (fix !== undefined) screen.prose(fix, 2, paint.yellow);
      return undefined;
    }
    const before = await takeSnapshot(copy.project);
    const node = createDemoNode(copy);
    const nodes = createNodes({ transport: createLocalTransport([node]) });
    stage.closing.unshift(
      () => nodes.close(),
      () => node.close(),
    );
    await workThere(stage, screen, nodes, node.id);
    const after = await takeSnapshot(copy.project);
    const changedHere = differences(before, after);
    report.node = { where: "in this process", changedHere, entriesHere: after.size };
    return () => verifyNode(stage, changedHere);
  },
};

/** @param changedHere what changed in the host's own copy */
export async function verifyNode(stage: Stage, changedHere: readonly string[]) {
  const { onNode, bell } = stage.copy;
  const rang = (await readFile(bell, "utf8").catch(() => "")).split("\n").length - 1;
  const [denied] = callsOf(stage, "traveller", RING.name);
  const [granted] = callsOf(stage, "ringer", RING.name);
  const isDenied = denied?.code === "POLICY_DENIED" && denied.receipt === "none";
  const outcome = (entry?: ToolMeta) => entry?.code ?? entry?.outcome ?? "not called";
  return [
    await checkTests("the tests pass in the copy on the node", onNode, stage.signal),
    check(
      "the node's bell rang when granted",
      isDenied && granted?.outcome === "ok" && rang === 1,
      `${outcome(denied)}, then ${outcome(granted)}; ${rang} of it in bell.log`,
    ),
    check(
      "the host's own copy was not touched",
      changedHere.length === 0,
      changedHere.join(", ") || "all files and folders as before",
    ),
  ];
}

/** What the operator of the node offers: a folder to work in, and a bell. */
function createDemoNode(copy: ProjectCopy) {
  const bell = defineNodeCommand({
    name: "bell.ring",
    description: "Rings the bell of the workshop.",
    parameters: Type.Object({ times: Type.Integer({ minimum: 1, maximum: 3 }) }),
    effects: ["write"],
    run({ times }) {
      appendFileSync(copy.bell, `${"ding ".repeat(times).trim()}\n`);
      return { content: [text("It rang.")], details: { times } };
    },
  });
  const project = offerWorkspace(createBubblewrapBackend(), {
    name: "project",
    description: "The project, as it lies on the node.",
    folder: copy.onNode,
    access: "rw",
  });
  return createNode({ id: "workshop", name: "workshop", commands: [bell], workspaces: [project] });
}

async function workThere(stage: Stage, screen: Screen, nodes: Nodes, id: string): Promise<void> {
  const { name, declared, approved } = await nodes.approve(id);
  screen.prose(`The node ${name}, here in this process, offers, as its operator wrote it:`);
  for (const { name: folder, access, network, isolation } of declared?.workspaces ?? [])
    screen.line(`    workspace.${folder}  ${access}, network: ${network}, in ${isolation}`);
  for (const { name: command, effects, description } of declared?.commands ?? [])
    screen.line(`    ${command}  ${effects.join(", ")}: ${description}`);
  screen.prose(`The host approves ${approved.join(" and ")}.`);
  const sandbox = { backend: "node", node: name, workspace: "project", workspaceAccess: "rw" } as const;
  const visit = async (who: Speaker, policy: HostOptions["policy"]) => {
    const host = await createDemoHost(stage, policy, { nodes, sandbox });
    return (await watchSession(stage, who, screen, host)).session;
  };
  const traveller = await visit("traveller", {});
  await repairInside(stage, traveller, screen);
  screen.prose("(Now the demo calls a command of the node: as the rules are, and with what they advise.)");
  const { details } = await traveller.call(RING);
  const ringer = await visit("ringer", applyAdvice((details as { fix?: string }).fix));
  await ringer.call(RING);
}
