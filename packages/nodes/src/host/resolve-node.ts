import type { ToolEffect } from "@haft/core";
import {
  compileWildcard,
  didYouMean,
  matchesWildcard,
  nearestNames,
  type Wildcard,
} from "@haft/core/internal";
import { describeChanges, declarationChanges } from "../contract/declaration-changes.ts";
import { type DeclaredCommand, digestOfCommand } from "../contract/declaration.ts";
import type { Records } from "../contract/records.ts";
import { nodesError } from "../errors.ts";
import { type NodePairing, stateOf } from "./pairing.ts";

/** What a call names. */
export interface NodeWish {
  /** Id or name; none means the only one that the command is approved of. */
  readonly node?: string | undefined;
  /** The command. */
  readonly command: string;
}

/** The node and the command that a call is decided about, and that it then goes to. */
export interface NodeTarget {
  /** The node. */
  readonly id: string;
  /** Its name, as the operator gave it. */
  readonly name: string;
  /** The command as it was approved. */
  readonly command: DeclaredCommand;
  /** Of the command: the node refuses when it has another one. */
  readonly digest: string;
  /** All that a call of it may do there, as it was approved. */
  readonly effects: readonly ToolEffect[];
}

/** What no call may reach, whatever was approved: `camera.*`, or of one node `kitchen:camera.*`. */
export function compileDenials(
  denied: readonly string[],
): (name: string, id: string, command: string) => string | undefined {
  const rules = denied.map((text): { text: string; node?: string; command: Wildcard } => {
    const parts = /^(?:([^:]+):)?([A-Za-z0-9._*-]+)$/.exec(text);
    if (parts === null)
      throw nodesError(
        "NODE_OPTIONS_INVALID",
        `deny has ${JSON.stringify(text)}, and no pattern such as camera.* or kitchen:camera.*.`,
      );
    const [, node, command = ""] = parts;
    return { text, ...(node !== undefined && { node }), command: compileWildcard(command) };
  });
  return (name, id, command) =>
    rules.find(
      (rule) =>
        (rule.node === undefined || rule.node === name || rule.node === id) &&
        matchesWildcard(rule.command, command),
    )?.text;
}

/** Finds out which node and command are meant, and whether the operator lets them be used. @throws HaftError */
export function resolveNode(
  { node, command }: NodeWish,
  pairings: Records<NodePairing>,
  denial: ReturnType<typeof compileDenials>,
): NodeTarget {
  const found = node === undefined ? soleNode(command, pairings, denial) : namedNode(node, pairings);
  const { id, pairing } = found;
  const { name, approved, changed } = pairing;
  const called = `The node ${shown(name)}`;
  const state = stateOf(pairing);
  // Which node is meant is certain, whatever else is not.
  const details = { node: { id, name } };
  if (state === "revoked") throw nodesError("NODE_REVOKED", `${called} was revoked.`, { details });
  if (approved === undefined)
    throw nodesError("NODE_NOT_APPROVED", `${called} was not approved yet.`, { details });
  if (changed !== undefined) {
    const changes = declarationChanges(approved.declaration, changed);
    const message = `${called} does not offer what was approved: ${describeChanges(changes)}.`;
    throw nodesError("NODE_CHANGED", message, { details: { ...details, changes } });
  }
  const declared = approved.declaration.commands.find((each) => each.name === command);
  if (declared === undefined) {
    const near = didYouMean(nearestNames(command, approved.commands));
    throw nodesError("NODE_COMMAND_UNKNOWN", `${called} does not offer ${shown(command)}.${near}`, {
      details: { ...details, commands: approved.commands },
    });
  }
  if (!approved.commands.includes(command))
    throw nodesError("NODE_NOT_APPROVED", `${called} offers ${command}, which was not approved.`, {
      details,
    });
  const denied = denial(name, id, command);
  if (denied !== undefined)
    throw nodesError(
      "NODE_DENIED",
      `${command} of the node ${shown(name)} is denied by ${JSON.stringify(denied)}.`,
      { details },
    );
  return { id, name, command: declared, digest: digestOfCommand(declared), effects: declared.effects };
}

interface Found {
  readonly id: string;
  readonly pairing: NodePairing;
}

function all(pairings: Records<NodePairing>): Found[] {
  return pairings.ids().flatMap((id) => {
    const pairing = pairings.read(id);
    return pairing === undefined ? [] : { id, pairing };
  });
}

function namedNode(wish: string, pairings: Records<NodePairing>): Found {
  const byId = pairings.read(wish);
  if (byId !== undefined) return { id: wish, pairing: byId };
  const known = all(pairings);
  // One that was revoked gives its name free, unless nobody else has it.
  const named = known.filter(({ pairing }) => pairing.name === wish);
  const usable = named.filter(({ pairing }) => pairing.revokedAt === undefined);
  const [only = named[0], other] = usable;
  if (other !== undefined) {
    const ids = usable.map(({ id }) => id).toSorted();
    const message = `${ids.length} nodes are called ${shown(wish)}: ${ids.join(", ")}.`;
    throw nodesError("NODE_AMBIGUOUS", message, { details: { ids } });
  }
  if (only !== undefined) return only;
  const names = known
    .filter(({ pairing }) => pairing.revokedAt === undefined)
    .map(({ pairing }) => pairing.name);
  const there =
    names.length === 0 ? "No node is paired." : `There ${names.length === 1 ? "is" : "are"} ${list(names)}.`;
  throw nodesError("NODE_UNKNOWN", `No node has the id or name ${shown(wish)}. ${there}`, {
    details: { names },
  });
}

/** Whether it can be reached now does not count: the same call must not go to another machine because one is away. */
function soleNode(
  command: string,
  pairings: Records<NodePairing>,
  denial: ReturnType<typeof compileDenials>,
): Found {
  const eligible = all(pairings).filter(({ id, pairing }) => {
    const { name, approved } = pairing;
    const isApproved = pairing.revokedAt === undefined && approved?.commands.includes(command) === true;
    return isApproved && denial(name, id, command) === undefined;
  });
  const [only, other] = eligible;
  if (only !== undefined && other === undefined) return only;
  const names = eligible.map(({ id, pairing }) => `${pairing.name} (${id})`);
  const message =
    only === undefined
      ? `No node is approved that offers ${shown(command)}.`
      : `${names.length} nodes offer ${command}: ${list(names)}.`;
  throw nodesError("NODE_NEEDED", message, { details: { nodes: eligible.map(({ id }) => id) } });
}

function list(names: readonly string[]): string {
  const most = names.toSorted().slice(0, 12);
  return names.length > most.length
    ? `${most.join(", ")} and ${names.length - most.length} more`
    : most.join(", ");
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
