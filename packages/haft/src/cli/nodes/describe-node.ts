import type { KnownHost, NodeDeclaration } from "@haft/nodes";
import { formatTable } from "@haft/policy";
import { escapeInvisible } from "@haft/utils";
import { firstSentence } from "../write-out.ts";
import type { OpenedNode } from "./open-node.ts";

type DeclaredCommand = NodeDeclaration["commands"][number];

export function offerRows(
  { commands, workspaces }: NodeDeclaration,
  approved?: readonly string[],
): string[][] {
  const approvalOf = (name: string) =>
    approved === undefined ? [] : [approved.includes(name) ? "approved" : "not approved"];
  return [
    ...commands.map((command) => [
      "",
      command.name,
      effectsOf(command),
      ...approvalOf(command.name),
      firstSentence(command.description),
    ]),
    ...workspaces.map(({ name, access, network, isolation, description }) => [
      "",
      `workspace.${name}`,
      `${access}, ${network === "none" ? "no network" : "the network"}, in ${isolation}`,
      ...approvalOf(`workspace.${name}`),
      firstSentence(description),
    ]),
  ];
}

export function commandForPrograms({ name, description, effects, timeoutMs, resultBytes }: DeclaredCommand) {
  return { name, description, effects, timeoutMs, resultBytes };
}

export function nodeForPrograms({ node, kind, withheld }: OpenedNode): object {
  const { id, name, declaration } = node;
  const { commands, workspaces } = declaration;
  return { id, name, kind, commands: commands.map(commandForPrograms), workspaces, withheld };
}

export function describeNode(
  { node, kind, withheld }: OpenedNode,
  hosts: readonly ({ id: string } & KnownHost)[],
): string {
  const { id, name, declaration } = node;
  const left = withheld.flatMap(({ name: tool, reason, fix }) => [
    `  ${tool}: ${reason}`,
    ...(fix === undefined ? [] : [`    To offer it: ${fix}`]),
  ]);
  const sections = [
    `${name}\n${id}`,
    [
      `It offers, with a separate ${kind} session for each host:`,
      ...formatTable(offerRows(declaration)),
    ].join("\n"),
    ...(left.length === 0 ? [] : [["Not offered, because of local rules:", ...left].join("\n")]),
    hosts.length === 0
      ? "It knows no hosts yet: run haft nodes accept."
      : ["It knows these hosts:", ...formatTable(hosts.map((host) => ["", host.name, host.id]))].join("\n"),
  ];
  return sections.join("\n\n").split("\n").map(escapeInvisible).join("\n");
}

function effectsOf({ effects }: Pick<DeclaredCommand, "effects">): string {
  return effects.length === 0 ? "computes" : effects.join(", ");
}
