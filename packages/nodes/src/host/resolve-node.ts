import type { ToolEffect } from "@haft/core";
import { compileWildcard, didYouMean, matchesWildcard, nearestNames, type Wildcard } from "@haft/utils";
import { computeDigest } from "../contract/canonical-json.ts";
import { describeDeclarationChanges, declarationChanges } from "../contract/declaration-changes.ts";
import type { DeclaredCommand } from "../contract/declaration.ts";
import type { Records } from "../contract/records.ts";
import {
  type DeclaredWorkspace,
  getWorkspaceEffects,
  toOfferName,
  WORKSPACE_PREFIX,
} from "../contract/workspace.ts";
import { nodesError } from "../errors.ts";
import { type NodePairing, getNodeState } from "./pairing.ts";

/** Selects a node and a command. */
export interface NodeSelector {
  /** Contains the id or name of the node. Default: the only node with this approved command. */
  readonly node?: string | undefined;
  /** Names the command. */
  readonly command: string;
}

/** Selects a node and its workspace. */
export interface WorkspaceSelector {
  /** Contains the id or name of the node. Default: the only node with such an approved workspace. */
  readonly node?: string | undefined;
  /** Names the workspace. Default: the only approved workspace. */
  readonly workspace?: string | undefined;
}

/**
 * Contains the node and workspace of a policy decision.
 *
 * @example
 * ```ts
 * import type { WorkspaceTarget } from "@haft/nodes";
 * const isReadOnly = ({ workspace }: WorkspaceTarget) => workspace.access === "ro" && workspace.network === "none";
 * ```
 */
export interface WorkspaceTarget {
  /** Identifies the node. */
  readonly id: string;
  /** Contains the operator's name of the node. */
  readonly name: string;
  /** Contains the approved workspace. */
  readonly workspace: DeclaredWorkspace;
  /** Contains the digest of the workspace. The node refuses another. */
  readonly digest: string;
  /** Lists all possible effects in the workspace. */
  readonly effects: readonly ToolEffect[];
}

/** Contains the node and command of a policy decision. */
export interface NodeTarget {
  /** Identifies the node. */
  readonly id: string;
  /** Contains the operator's name of the node. */
  readonly name: string;
  /** Contains the approved command. */
  readonly command: DeclaredCommand;
  /** Contains the digest of the command. The node refuses another. */
  readonly digest: string;
  /** Lists all approved effects of a call. */
  readonly effects: readonly ToolEffect[];
}

/** Compiles denials such as `camera.*` or `kitchen:camera.*`, which override approvals. */
export function compileDenials(
  denied: readonly string[],
): (name: string, id: string, command: string) => string | undefined {
  const rules = denied.map((text): { text: string; node?: string; command: Wildcard } => {
    const parts = /^(?:([^:]+):)?([A-Za-z0-9._*-]+)$/.exec(text);
    if (parts === null)
      throw nodesError(
        "NODE_OPTIONS_INVALID",
        `deny contains ${JSON.stringify(text)}, which is not a pattern such as camera.* or kitchen:camera.*.`,
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

type Denial = ReturnType<typeof compileDenials>;

export function resolveNode(
  { node, command }: NodeSelector,
  pairings: Records<NodePairing>,
  denial: Denial,
): NodeTarget {
  const found = node === undefined ? soleNode(command, pairings, denial) : namedNode(node, pairings);
  const { id, name, approved } = requireUsable(found);
  const declared = approved.declaration.commands.find((each) => each.name === command);
  if (declared === undefined) throw notOffered(found, command, isCommand);
  requireApproved(found, command, denial);
  return { id, name, command: declared, digest: computeDigest(declared), effects: declared.effects };
}

export function resolveWorkspace(
  { node, workspace }: WorkspaceSelector,
  pairings: Records<NodePairing>,
  denial: Denial,
): WorkspaceTarget {
  const wanted = workspace === undefined ? undefined : WORKSPACE_PREFIX + workspace;
  const found = node === undefined ? soleNode(wanted, pairings, denial) : namedNode(node, pairings);
  const { id, name, approved } = requireUsable(found);
  const offer = wanted ?? soleOffer(found, denial);
  const declared = approved.declaration.workspaces.find((each) => toOfferName(each) === offer);
  if (declared === undefined) throw notOffered(found, offer, isWorkspace);
  requireApproved(found, offer, denial);
  return {
    id,
    name,
    workspace: declared,
    digest: computeDigest(declared),
    effects: getWorkspaceEffects(declared),
  };
}

export function isWorkspace(offer: string): boolean {
  return offer.startsWith(WORKSPACE_PREFIX);
}

function isCommand(offer: string): boolean {
  return !isWorkspace(offer);
}

function requireUsable({ id, pairing }: Found) {
  const { name, approved, changed } = pairing;
  const called = `The node ${shown(name)}`;
  const state = getNodeState(pairing);
  // The node is certain despite an error.
  const details = { node: { id, name } };
  if (state === "revoked") throw nodesError("NODE_REVOKED", `${called} was revoked.`, { details });
  if (approved === undefined)
    throw nodesError("NODE_NOT_APPROVED", `${called} is not approved yet.`, { details });
  if (changed !== undefined) {
    const changes = declarationChanges(approved.declaration, changed);
    const message = `${called} changed after its approval: ${describeDeclarationChanges(changes)}.`;
    throw nodesError("NODE_CHANGED", message, { details: { ...details, changes } });
  }
  return { id, name, approved };
}

function notOffered(
  { id, pairing: { name, approved } }: Found,
  offer: string,
  isOfKind: (offer: string) => boolean,
) {
  const offers = (approved?.commands ?? []).filter(isOfKind);
  const near = didYouMean(nearestNames(offer, offers));
  const message = `The node ${shown(name)} does not offer ${shown(offer)}.${near}`;
  return nodesError("NODE_NOT_OFFERED", message, { details: { node: { id, name }, commands: offers } });
}

function requireApproved({ id, pairing: { name, approved } }: Found, offer: string, denial: Denial): void {
  const details = { node: { id, name } };
  if (approved?.commands.includes(offer) !== true)
    throw nodesError("NODE_NOT_APPROVED", `The node ${shown(name)} offers ${offer}, which is not approved.`, {
      details,
    });
  const denied = denial(name, id, offer);
  if (denied !== undefined)
    throw nodesError(
      "NODE_DENIED",
      `${offer} of the node ${shown(name)} is denied by ${JSON.stringify(denied)}.`,
      { details },
    );
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

function namedNode(idOrName: string, pairings: Records<NodePairing>): Found {
  const byId = pairings.read(idOrName);
  if (byId !== undefined) return { id: idOrName, pairing: byId };
  const known = all(pairings);
  // A revoked node matches by name only if no other has it.
  const named = known.filter(({ pairing }) => pairing.name === idOrName);
  const usable = named.filter(({ pairing }) => pairing.revokedAt === undefined);
  const [only = named[0], other] = usable;
  if (other !== undefined) {
    const ids = usable.map(({ id }) => id).toSorted();
    const message = `${ids.length} nodes have the name ${shown(idOrName)}: ${ids.join(", ")}.`;
    throw nodesError("NODE_AMBIGUOUS", message, { details: { ids } });
  }
  if (only !== undefined) return only;
  const names = known
    .filter(({ pairing }) => pairing.revokedAt === undefined)
    .map(({ pairing }) => pairing.name);
  const there = names.length === 0 ? "No node is paired." : `Known: ${list(names)}.`;
  throw nodesError("NODE_UNKNOWN", `No node has the id or name ${shown(idOrName)}. ${there}`, {
    details: { names },
  });
}

function usableOffers({ id, pairing }: Found, offer: string | undefined, denial: Denial): readonly string[] {
  const { name, approved, revokedAt } = pairing;
  if (approved === undefined || revokedAt !== undefined) return [];
  return approved.commands.filter(
    (each) =>
      (offer === undefined ? isWorkspace(each) : each === offer) && denial(name, id, each) === undefined,
  );
}

/** Ignores reachability: a call must not move to another machine. */
function soleNode(offer: string | undefined, pairings: Records<NodePairing>, denial: Denial): Found {
  const eligible = all(pairings).filter((found) => usableOffers(found, offer, denial).length > 0);
  const [only, other] = eligible;
  if (only !== undefined && other === undefined) return only;
  // A single node's error explains the mismatch.
  const [sole, ...rest] = all(pairings).filter(
    ({ pairing }) => pairing.approved !== undefined && pairing.revokedAt === undefined,
  );
  if (only === undefined && offer !== undefined && sole !== undefined && rest.length === 0) return sole;
  const names = eligible.map(({ id, pairing }) => `${pairing.name} (${id})`);
  const what = offer === undefined ? "a workspace" : shown(offer);
  const message =
    only === undefined
      ? `No approved node offers ${what}.`
      : `${names.length} nodes offer ${offer ?? what}: ${list(names)}.`;
  throw nodesError("NODE_NEEDED", message, { details: { nodes: eligible.map(({ id }) => id) } });
}

function soleOffer(found: Found, denial: Denial): string {
  const offers = usableOffers(found, undefined, denial);
  const [only, other] = offers;
  if (only !== undefined && other === undefined) return only;
  const { name } = found.pairing;
  const message =
    only === undefined
      ? `No workspace of the node ${shown(name)} is approved.`
      : `${offers.length} workspaces of the node ${shown(name)} are approved: ${list(offers)}.`;
  if (only === undefined) throw nodesError("NODE_NOT_APPROVED", message);
  throw nodesError("NODE_NEEDED", message, { fix: "Use one of these names.", details: { commands: offers } });
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
