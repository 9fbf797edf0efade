import type { ToolMeta, ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { NodeStatus } from "@haft/nodes";
import { createBubblewrapBackend } from "@haft/sandbox";
import type { HostOptions } from "haft";
import { readFile } from "node:fs/promises";
import { applyAdvice } from "../apply-advice.ts";
import { createDemoHost } from "../demo-host.ts";
import { bellOf, projectOf } from "../node/folders.ts";
import { openNodes, type OpenedNodes } from "../node/open-nodes.ts";
import { runProjectTests } from "../project-tests.ts";
import { table } from "../screen/layout.ts";
import type { Screen } from "../screen/screen.ts";
import { describeDifference, differences, takeSnapshot } from "../snapshot.ts";
import { ledgerRow } from "./ledger.ts";
import type { Part, Speaker, Stage } from "./part.ts";
import { repairInside } from "./repair-inside.ts";
import { watchSession } from "./watch-session.ts";

const RING = { name: "node_invoke", arguments: { command: "bell.ring", params: { times: 2 } } };

/** The same bug, the same tools, another machine. */
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
    const opened = await openNodes(copy.machine);
    try {
      await workThere(stage, screen, opened);
    } finally {
      await opened.close();
    }
    const after = await takeSnapshot(copy.project);
    const changedHere = differences(before, after).map(describeDifference);
    report.node = { where: opened.where, changedHere, entriesHere: after.size };
  },
  async verify({ copy, report: { node }, sessions, signal }) {
    if (node === undefined || "missing" in node) return [];
    const tests = await runProjectTests(projectOf(copy.machine), signal);
    const rang = (await readFile(bellOf(copy.machine), "utf8").catch(() => "")).split("\n").length - 1;
    const [denied, granted] = rings(sessions).map(([, entry]) => entry);
    return [
      {
        what: "the tests pass in the copy on the node",
        ok: tests.exitCode === 0 && tests.failed === 0 && tests.passed > 0,
        found: `${tests.passed} of ${tests.tests} passed, looked at from outside`,
      },
      {
        what: "the node's bell rang when granted",
        ok:
          denied?.code === "POLICY_DENIED" &&
          denied.receipt === "none" &&
          granted?.outcome === "ok" &&
          rang === 1,
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

async function workThere(
  stage: Stage,
  screen: Screen,
  { nodes, id, where, paired }: OpenedNodes,
): Promise<void> {
  const { name, declared, approved } = await nodes.approve(id);
  screen.prose(`The node ${name} (${where}) offers, as its operator wrote it:`);
  for (const row of table(offerOf(declared))) screen.line(row);
  screen.prose(`${paired} The host approves ${approved.join(" and ")}.`);
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
  const { fix } = details as { fix?: string };
  await visit("ringer", applyAdvice(fix), (session) => session.call(RING));
  screen.prose("The host's ledger has of the bell:");
  const rows = rings(stage.sessions).map(([who, entry]) => ledgerRow(who, entry, screen.paint));
  for (const row of table(rows)) screen.line(row);
}

function offerOf(declared: NodeStatus["declared"]): string[][] {
  const { commands = [], workspaces = [] } = declared ?? {};
  return [
    ...workspaces.map(({ name, access, network, isolation, description }) => [
      `    workspace.${name}`,
      `${access}, network: ${network}, in ${isolation}`,
      description,
    ]),
    ...commands.map(({ name, effects, description }) => [`    ${name}`, effects.join(", "), description]),
  ];
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
