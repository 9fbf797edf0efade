import { HaftError } from "@haft/core";
import { getOwnerStatus, type Owner, PrivateFolder, getCurrentOwner } from "@haft/system";
import { randomUUID } from "node:crypto";
import { hostError } from "../errors.ts";

/** Names a role for the node of a state folder. One program at a time has it. */
export type NodeRole = "serving" | "pairing";

/**
 * Claims a role. The claim of a crashed program is replaced.
 *
 * @returns releases the role
 * @throws HaftError `NODE_RUNS_ALREADY` if another program of this machine has it
 */
export function claimRole(path: string, role: NodeRole): () => void {
  const folder = new PrivateFolder(path);
  const text = `${JSON.stringify({ ...getCurrentOwner(), id: randomUUID() })}\n`;
  for (let tries = 0; tries < 10; tries++) {
    if (folder.create(fileOf(role), text)) return () => letGo(folder, role, text);
    const found = readOwner(folder, role);
    if (found !== undefined && getOwnerStatus(found.owner) === "alive") {
      const what = role === "serving" ? "serves this node" : "waits for a host to pair this node with";
      const { pid } = found.owner;
      throw hostError("NODE_RUNS_ALREADY", `Another program (process ${pid}) ${what} already.`, {
        details: { pid },
      });
    }
    const removed = `.gone-${randomUUID()}`;
    if (folder.claim(fileOf(role), removed)) folder.remove(removed);
  }
  throw hostError("NODE_RUNS_ALREADY", "Other programs begin to be this node all the time.");
}

export function isClaimed(path: string, role: NodeRole): boolean {
  const found = readOwner(new PrivateFolder(path), role);
  return found !== undefined && getOwnerStatus(found.owner) === "alive";
}

function readOwner(folder: PrivateFolder, role: NodeRole): { owner: Owner; text: string } | undefined {
  try {
    const text = folder.read(fileOf(role))?.text;
    return text === undefined ? undefined : { owner: JSON.parse(text) as Owner, text };
  } catch (thrown) {
    if (HaftError.is(thrown)) throw thrown;
    // Claims are atomic, so an unreadable file is not a claim.
    return undefined;
  }
}

function letGo(folder: PrivateFolder, role: NodeRole, text: string): void {
  if (readOwner(folder, role)?.text === text) folder.remove(fileOf(role));
}

function fileOf(role: NodeRole): string {
  return `${role}.json`;
}
