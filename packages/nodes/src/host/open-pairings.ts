import { readDeclaration } from "../contract/declaration.ts";
import type { Records } from "../contract/records.ts";
import { folderRecords } from "../keys/folder-records.ts";
import type { NodePairing } from "./pairing.ts";

/**
 * What a host's operator decided about nodes, in a folder: a file for each node.
 *
 * @throws HaftError when it is used: `STATE_FOLDER_FAILED`, `NODE_RECORD_UNREADABLE`
 */
export function openPairings(folder: string): Records<NodePairing> {
  return folderRecords(folder, readPairing);
}

/** What was kept somewhere about a node, where it is that. @throws Error saying what is wrong with it */
export function readPairing(value: unknown): NodePairing {
  const { name, pairedAt, approved, changed, revokedAt } = (value ?? {}) as Partial<NodePairing>;
  if (typeof name !== "string" || name === "" || typeof pairedAt !== "number")
    throw new Error("it is no pairing");
  return {
    name,
    pairedAt,
    ...(approved !== undefined && { approved: readApproval(approved) }),
    ...(changed !== undefined && { changed: readDeclaration(changed) }),
    // Whatever it is: one that was revoked stays so.
    ...(revokedAt !== undefined && { revokedAt }),
  };
}

function readApproval({ at, declaration, commands }: NonNullable<NodePairing["approved"]>) {
  if (typeof at !== "number" || !Array.isArray(commands)) throw new Error("what was approved is missing");
  return { at, declaration: readDeclaration(declaration), commands: commands.map(String) };
}
