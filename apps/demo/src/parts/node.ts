import type { ToolMeta, ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import {
  createLocalTransport,
  createNode,
  createNodes,
  defineNodeCommand,
  type HaftNode,
  type Nodes,
} from "@haft/nodes";
import { text, Type } from "@haft/plugin-sdk";
import { createBubblewrapBackend, offerWorkspace } from "@haft/sandbox";
import type { HostOptions } from "haft";
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { applyAdvice, createDemoHost } from "../demo-host.ts";
import { isPassed, runProjectTests } from "../look/project-tests.ts";
import { describeDifference, differences, takeSnapshot } from "../look/snapshot.ts";
import { bellOf, projectOf } from "../project-copy.ts";
import { table } from "../screen/layout.ts";
import type { Screen } from "../screen/screen.ts";
import { repairInside, watchSession } from "../session.ts";
import type { Part, Speaker, Stage } from "../stage.ts";
import { ledgerRow } from "./ledger.ts";

const RING = { name: "node_invoke", arguments: { command: "bell.ring", params: { times: 2 } } };

/** The same bug, the same tools, a node. */
export const nodePart: Part = {
  name: "node",
  title: "Another machine: the same repair in a workspace of a node (sandboxed session)",
  needs: [],
  async run(stage, screen) {
    const { copy, report } = stage;
    const { available, reason = "bubblewrap does not work", fix } = await createBubblewrapBackend().probe();
    if (!available) {
      report.node = { missing: reason };
      screen.prose(
        `A node opens its workspace in a sandbox, and here it cannot: ${reason} So this part is left out.`,
      );
      if (fix !== undefined) screen.prose(fix, 2, screen.paint.yellow);
      return;
    }
    const before = await takeSnapshot(copy.project);
    const node = createDemoNode(copy.machine);
    const nodes = createNodes({ transport: createLocalTransport([node]) });
    try {
      await workThere(stage, screen, nodes, node.id);
    } finally {
      await nodes.close();
      await node.close();
    }
    const after = await takeSnapshot(copy.project);
    const changedHere = differences(before, after).map(describeDifference);
    report.node = { where: "in this process", changedHere, entriesHere: after.size };
  },
  async verify({ copy, report: { node }, sessions, signal }) {
    if (node === undefined || "missing" in node) return [];
    const tests = await runProjectTests(projectOf(copy.machine), signal);
    const rang = (await readFile(bellOf(copy.machine), "utf8").catch(() => "")).split("\n").length - 1;
    const [denied, granted] = rings(sessions).map(([, entry]) => entry);
    const isDenied = denied?.code === "POLICY_DENIED" && denied.receipt === "none";
    return [
      {
        what: "the tests pass in the copy on the node",
        ok: isPassed(tests),
        found: `${tests.passed} of ${tests.tests} passed, looked at from outside`,
      },
      {
        what: "the node's bell rang when granted",
        ok: isDenied && granted?.outcome === "ok" && rang === 1,
        found: `${outcomeOf(denied)}, then ${outcomeOf(granted)}; ${rang} of it in bell.log`,
      },
      {
        what: "the host's own copy was not touched",
        ok: node.changedHere.length === 0,
        found: node.changedHere.join(", ") || `${node.entriesHere} files and folders as before`,
      },
    ];
  },
};

/** What the operator of the node offers: a folder to work in, and a bell. */
function createDemoNode(folder: string): HaftNode {
  const bell = defineNodeCommand({
    name: "bell.ring",
    description: "Rings the bell of the workshop.",
    parameters: Type.Object({ times: Type.Integer({ minimum: 1, maximum: 3 }) }),
    effects: ["write"],
    run({ times }) {
      appendFileSync(bellOf(folder), `${"ding ".repeat(times).trim()}\n`);
      return { content: [text("It rang.")], details: { times } };
    },
  });
  const project = offerWorkspace(createBubblewrapBackend(), {
    name: "project",
    description: "The project, as it lies on the node.",
    folder: projectOf(folder),
    access: "rw",
  });
  return createNode({ id: "workshop", name: "workshop", commands: [bell], workspaces: [project] });
}

async function workThere(stage: Stage, screen: Screen, nodes: Nodes, id: string): Promise<void> {
  const { name, declared, approved } = await nodes.approve(id);
  const { commands = [], workspaces = [] } = declared ?? {};
  screen.prose(`The node ${name}, here in this process, offers, as its operator wrote it:`);
  const offers = [
    ...workspaces.map(({ name: folder, access, network, isolation, description }) => [
      `    workspace.${folder}`,
      `${access}, network: ${network}, in ${isolation}`,
      description,
    ]),
    ...commands.map((command) => [`    ${command.name}`, command.effects.join(", "), command.description]),
  ];
  for (const row of table(offers)) screen.line(row);
  screen.prose(`The host approves ${approved.join(" and ")}.`);
  const sandbox = { backend: "node", node: name, workspace: "project", workspaceAccess: "rw" } as const;
  const visit = async (
    who: Speaker,
    policy: HostOptions["policy"],
    work: (session: Session) => Promise<ToolOutcome>,
  ) => {
    const host = await createDemoHost(stage.copy, policy, { nodes, sandbox });
    try {
      return await work((await watchSession(stage, who, screen, host)).session);
    } finally {
      await host.close();
    }
  };
  const { details } = await visit("traveller", {}, async (session) => {
    await repairInside(stage, session, screen);
    screen.prose("(Now the demo calls a command of the node: as the rules are, and with what they advise.)");
    return session.call(RING);
  });
  await visit("ringer", applyAdvice((details as { fix?: string }).fix), (session) => session.call(RING));
  screen.prose("The host's ledger has of the bell:");
  const rows = rings(stage.sessions).map(([who, entry]) => ledgerRow(who, entry, screen.paint));
  for (const row of table(rows)) screen.line(row);
}

/** What the ledger has of the bell, each with who rang. */
function rings(sessions: Stage["sessions"]): (readonly [Speaker, Readonly<ToolMeta>])[] {
  return Array.from(sessions)
    .flatMap(([who, { session }]) => session.ledger().map((entry) => [who, entry] as const))
    .filter(([, { toolName }]) => toolName === RING.name);
}

function outcomeOf(entry: Readonly<ToolMeta> | undefined): string {
  return entry?.code ?? entry?.outcome ?? "not called";
}
