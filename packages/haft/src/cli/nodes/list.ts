import { getErrorMessage } from "@haft/core";
import { formatTable } from "@haft/policy";
import { withoutUndefined, escapeInvisible } from "@haft/utils";
import { UsageError } from "../usage.ts";
import { print, writeOut } from "../write-out.ts";
import { describeStatus, describeStatuses, nodeProgramsText, statusForPrograms } from "./describe-status.ts";
import { FIND_MS, type NodesValues, type OpenedNodes, pairedNode, withNodes } from "./open-nodes.ts";

export async function listNodes(values: NodesValues): Promise<number> {
  return withNodes(values, false, async (opened) => {
    const { identity, name, problem } = opened;
    const all = await opened.nodes.list();
    const host = { id: identity.id, name };
    print(values.json, { host, nodes: all.map(statusForPrograms) }, () =>
      all.length === 0
        ? `No node is paired with this host (${escapeInvisible(name)}, ${identity.id})${problem === undefined ? ": run haft nodes find" : ""}.`
        : describeStatuses(all),
    );
    return reportProblem(opened);
  });
}

export async function showNode(values: NodesValues, [word = ""]: readonly string[]): Promise<number> {
  return withNodes(values, false, async (opened) => {
    const status = await pairedNode(opened, word);
    print(values.json, { node: nodeProgramsText(status) }, () => describeStatus(status));
    return reportProblem(opened);
  });
}

function reportProblem({ problem }: OpenedNodes): number {
  if (problem === undefined) return 0;
  const { message, fix = "", code } = problem;
  console.error(
    `haft: ${escapeInvisible(message)} The output shows stored data.\n${escapeInvisible(fix)} [${code}]`,
  );
  return 1;
}

export async function findNodes(values: NodesValues): Promise<number> {
  return withNodes(values, true, async (opened) => {
    const found = await opened.transport.discover(FIND_MS);
    const known = new Map((await opened.nodes.list()).map((node) => [node.id, node]));
    const nodes = found.map((node) => {
      const { name: pairedAs, state } = known.get(node.id) ?? {};
      return { ...node, pairedAs, state };
    });
    const rows = nodes.map(({ id, name, pairing, pairedAs }) =>
      [
        name,
        id,
        pairedAs === undefined ? "not paired" : `paired as ${pairedAs}`,
        pairing ? "waits for a host" : "",
      ].map(escapeInvisible),
    );
    print(values.json, { nodes }, () =>
      nodes.length === 0
        ? "No node answered on this server."
        : formatTable([["calls itself", "id", "here", "now"], ...rows]).join("\n"),
    );
    return 0;
  });
}

export async function approveNode(
  values: NodesValues & { name?: string; digest?: string },
  [word = "", ...commands]: readonly string[],
): Promise<number> {
  return withNodes(values, true, async (opened) => {
    const { id } = await pairedNode(opened, word);
    const { name, digest } = values;
    const wanted = commands.length === 0 ? undefined : [...new Set(commands)];
    const status = await opened.nodes.approve(id, withoutUndefined({ commands: wanted, name, digest }));
    print(
      values.json,
      { node: nodeProgramsText(status) },
      () =>
        `${describeStatus(status, true)}\n\nSessions can call it if policy grants it: grant: ["node_invoke(node:${escapeInvisible(status.name)})"]`,
    );
    return 0;
  });
}

export async function revokeNode(values: NodesValues, [word = ""]: readonly string[]): Promise<number> {
  // Every host with this state folder applies it, without a server.
  return withNodes(values, false, async (opened) => {
    const { id, name } = await pairedNode(opened, word);
    opened.nodes.revoke(id);
    print(
      values.json,
      { revoked: { id, name } },
      () =>
        `${escapeInvisible(name)} is revoked: its commands can no longer be called. On the node, haft nodes forget removes this host.`,
    );
    return 0;
  });
}

export async function serverConfig(
  values: NodesValues & { host?: string[]; out?: string },
  words: readonly string[],
): Promise<number> {
  return withNodes(values, false, async (opened) => {
    const { serverPermissions } = await import("@haft/nodes/nats");
    const { host = [], out: file, json } = values;
    const paired = await opened.nodes.list();
    const hosts = [...new Set([opened.identity.id, ...host])];
    const known = paired.filter(({ state }) => state !== "revoked").map(({ id }) => id);
    const nodes = [...new Set([...known, ...words])];
    const text = permissions(() => serverPermissions({ hosts, nodes, ...opened.prefix }));
    if (file !== undefined || !json) writeOut(file, text);
    if (json) console.log(JSON.stringify({ hosts, nodes, text, file }));
    return 0;
  });
}

function permissions(make: () => string): string {
  try {
    return make();
  } catch (thrown) {
    throw new UsageError(getErrorMessage(thrown));
  }
}
