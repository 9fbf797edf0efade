import { readDeclaration } from "../contract/declaration.ts";
import type { Records } from "../contract/records.ts";
import { folderRecords } from "../keys/folder-records.ts";
import type { NodePairing } from "./pairing.ts";

/**
 * Opens the operator's decisions about nodes: a folder with one file per node.
 *
 * @throws HaftError at its use: `STATE_FOLDER_FAILED`, `NODE_RECORD_UNREADABLE`
 *
 * @example
 * ```ts
 * import { createLocalTransport, createNodes, openPairings } from "@haft/nodes";
 * const pairings = openPairings("/var/lib/agent/nodes");
 * const nodes = createNodes({ transport: createLocalTransport([]), pairings });
 * ```
 */
export function openPairings(folder: string): Records<NodePairing> {
  return folderRecords(folder, readPairing);
}

/**
 * Validates a stored record of a node.
 *
 * @throws Error with the fault
 *
 * @example
 * ```ts run
 * import { readPairing } from "@haft/nodes";
 * const pairing = readPairing(JSON.parse('{ "name": "workshop", "pairedAt": 1764500000000 }'));
 * pairing.name; // => "workshop"
 * ```
 */
export function readPairing(value: unknown): NodePairing {
  const { name, pairedAt, approved, changed, revokedAt } = (value ?? {}) as Partial<NodePairing>;
  if (typeof name !== "string" || name === "" || typeof pairedAt !== "number")
    throw new Error("it is not a pairing");
  return {
    name,
    pairedAt,
    ...(approved !== undefined && { approved: readApproval(approved) }),
    ...(changed !== undefined && { changed: readDeclaration(changed) }),
    // Any value keeps a node revoked.
    ...(revokedAt !== undefined && { revokedAt }),
  };
}

function readApproval({ at, declaration, commands }: NonNullable<NodePairing["approved"]>) {
  if (typeof at !== "number" || !Array.isArray(commands)) throw new Error("the approval is incomplete");
  return { at, declaration: readDeclaration(declaration), commands: commands.map(String) };
}
