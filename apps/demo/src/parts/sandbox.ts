import { HaftError, contentToText, type ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import { createLocalTransport, createNode, createNodes, defineNodeCommand, type Nodes } from "@haft/nodes";
import { text, Type } from "@haft/plugin-sdk";
import { createBubblewrapBackend, offerWorkspace } from "@haft/sandbox";
import type { HostOptions } from "haft";
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  check,
  checkTests,
  openTrap,
  TRAP_ANSWER,
  SECRET,
  differences,
  takeSnapshot,
  type ProjectCopy,
} from "../inspect.ts";
import { paint, type Screen } from "../screen.ts";
import {
  createDemoHost,
  repairInSandbox,
  watchSession,
  type Part,
  applyAdvice,
  listCalls,
  type Speaker,
  type Stage,
} from "../session.ts";

export const sandboxPart: Part = {
  name: "sandbox",
  title: "Many senders, isolated: the same repair inside a sandbox (group session)",
  async run(stage, screen) {
    const { copy, signal } = stage;
    const settings = { workspaceDir: copy.isolated, sandbox: { workspaceAccess: "rw" } } as const;
    try {
      const host = await createDemoHost(stage, {}, settings);
      const { session } = await watchSession(stage, "guest", screen, host);
      const backend = host.sandboxes()[0]?.backend ?? "none";
      screen.line(`  The sandbox: ${backend}, the second copy as /workspace, no network.`);
      await repairInSandbox(stage, session, screen);
      screen.prose("(Now the demo tries to get out, in three plain ways.)");
      const attempts = await tryToLeave(session, join(copy.neighbour, "salaries.csv"));
      return async () => [
        await checkTests("the tests pass in the sandboxed copy", copy.isolated, signal),
        ...attempts,
      ];
    } catch (thrown) {
      if (!HaftError.is(thrown) || thrown.code !== "SANDBOX_UNAVAILABLE") throw thrown;
      screen.prose(`${thrown.message} So this part is left out; nothing runs on the host instead.`);
      screen.prose(thrown.fix ?? "", 2, paint.yellow);
      return undefined;
    }
  },
};

/** Tries three ways out of a sandbox, and checks from outside. */
async function tryToLeave(session: Session, file: string) {
  const run = (args: Record<string, unknown>) => session.call({ name: "exec", arguments: args });
  await using trap = await openTrap();
  const read = await run({ command: `cat '${file}'` });
  const fetched = await run({ command: trap.command });
  const visitors = trap.visitors();
  const outside = await run({ command: "true", host: "gateway" });
  const hasRead =
    (read.kind === "ok" && read.details["exitCode"] === 0) || contentToText(read.content).includes(SECRET);
  const hasFetched = visitors > 0 || contentToText(fetched.content).includes(TRAP_ANSWER);
  const hasRun = outside.kind === "ok" || outside.receipt !== "none";
  // It must succeed on the host, else this proves nothing.
  const readable = (await readFile(file, "utf8")).includes(SECRET);
  const reachable = await trap.isReachable();
  return [
    check("the sandbox reads no file of the host", readable && !hasRead, lastLine(read)),
    check("the sandbox reaches no network", reachable && !hasFetched, lastLine(fetched)),
    check("the sandbox runs nothing on the host", !hasRun, "code" in outside ? outside.code : outside.kind),
  ];
}

function lastLine({ content, kind }: ToolOutcome): string {
  const lines = contentToText(content).split("\n");
  return lines.findLast((line) => line.trim() !== "" && !/^[([]/.test(line)) ?? kind;
}

const RING = { name: "node_invoke", arguments: { command: "bell.ring", params: { times: 2 } } };

export const nodePart: Part = {
  name: "node",
  title: "Another machine: the same repair in a workspace of a node (sandboxed session)",
  async run(stage, screen) {
    const { copy } = stage;
    const { available, reason = "bubblewrap does not work", fix } = await createBubblewrapBackend().probe();
    if (!available) {
      screen.prose(
        `A node opens its workspace in a sandbox, and here it cannot: ${reason} So this part is left out.`,
      );
      screen.prose(fix ?? "", 2, paint.yellow);
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
    const changedHere = differences(before, await takeSnapshot(copy.project));
    return () => verifyNode(stage, changedHere);
  },
};

/** @param changedHere changes of the host's copy */
export async function verifyNode(stage: Stage, changedHere: readonly string[]) {
  const { onNode, bell } = stage.copy;
  const rang = (await readFile(bell, "utf8").catch(() => "")).split("\n").length - 1;
  const [denied] = listCalls(stage, "traveller", RING.name);
  const [granted] = listCalls(stage, "ringer", RING.name);
  const isDenied = denied?.code === "POLICY_DENIED" && denied.receipt === "none";
  const rings = { denied: denied?.code, granted: granted?.outcome, rang };
  const rangOnce = isDenied && granted?.outcome === "ok" && rang === 1;
  return [
    await checkTests("the tests pass in the copy on the node", onNode, stage.signal),
    check("the node's bell rang when granted", rangOnce, rings),
    check("the host's own copy was not touched", changedHere.length === 0, { changedHere }),
  ];
}

/** The node's operator offers a folder and a bell. */
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
  screen.prose(`The host approves ${approved.join(" and ")}.`);
  const sandbox = { backend: "node", node: name, workspace: "project", workspaceAccess: "rw" } as const;
  const visit = async (who: Speaker, policy: HostOptions["policy"]) => {
    const host = await createDemoHost(stage, policy, { nodes, sandbox });
    return (await watchSession(stage, who, screen, host)).session;
  };
  const traveller = await visit("traveller", {});
  await repairInSandbox(stage, traveller, screen);
  screen.prose("(Now the demo calls a command of the node: as the rules are, and with what they advise.)");
  const { details } = await traveller.call(RING);
  const ringer = await visit("ringer", applyAdvice((details as { fix?: string }).fix));
  await ringer.call(RING);
}
