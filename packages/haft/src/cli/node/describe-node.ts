import { escapeInvisible } from "@haft/core/internal";
import type { DeclaredCommand, KnownHost } from "@haft/nodes";
import { textTable } from "@haft/policy";
import type { OpenedNode } from "./open-node.ts";

/** A command as people and programs are shown it. */
export function commandForPrograms({ name, description, effects, timeoutMs, resultBytes }: DeclaredCommand) {
  return { name, description, effects, timeoutMs, resultBytes };
}

export function nodeForPrograms({ node, kind, withheld }: OpenedNode) {
  const { id, name, declaration } = node;
  return { id, name, kind, commands: declaration.commands.map(commandForPrograms), withheld };
}

/** What the operator of a host will see of it, and whom it knows. */
export function describeNode(
  { node, kind, withheld }: OpenedNode,
  hosts: readonly ({ id: string } & KnownHost)[],
): string {
  const { id, name, declaration } = node;
  const rows = declaration.commands.map((command) => [
    "",
    command.name,
    effectsOf(command),
    firstSentence(command.description),
  ]);
  const left = withheld.flatMap(({ name: tool, reason, fix }) => [
    `  ${tool}: ${reason}`,
    ...(fix === undefined ? [] : [`    To offer it: ${fix}`]),
  ]);
  const sections = [
    `${name}\n${id}`,
    [`It offers, each host in a ${kind} session of its own:`, ...textTable(rows)].join("\n"),
    ...(left.length === 0 ? [] : [["Not offered, because of the rules here:", ...left].join("\n")]),
    hosts.length === 0
      ? "It knows no host yet: haft node pair takes one."
      : ["It knows these hosts:", ...textTable(hosts.map((host) => ["", host.name, host.id]))].join("\n"),
  ];
  return sections.join("\n\n").split("\n").map(escapeInvisible).join("\n");
}

/** What a call may do there, in words. */
export function effectsOf({ effects }: Pick<DeclaredCommand, "effects">): string {
  return effects.length === 0 ? "computes" : effects.join(", ");
}

export function firstSentence(description: string): string {
  const end = description.search(/[.\n]/);
  return end < 0 ? description : description.slice(0, end);
}
