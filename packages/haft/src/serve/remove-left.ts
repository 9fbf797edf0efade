import { attempt, isAlive, type ProcessIdentity, PrivateFolder } from "@haft/workspace/internal/system";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { defaultStateFolder } from "../boundary/state-folder.ts";
import { addressOwner } from "./address-file.ts";
import { endpointOwner } from "./endpoint-record.ts";

/**
 * Takes away what programs that were killed left in a state folder: the addresses of their pages, with tokens, and what their endpoints
 * said of themselves. What cannot be looked at, or is somebody else's, stays.
 *
 * @param stateDir as hosts are given it
 */
export function removeLeft(stateDir: string | false | undefined): void {
  if (stateDir !== false) removeOfEnded(join(stateDir ?? defaultStateFolder(), "inspect"), addressOwner);
  // Hooks look there alone.
  removeOfEnded(join(defaultStateFolder(), "serve"), endpointOwner);
}

/** @param ownerOf whose a file is; nothing where that cannot be told */
function removeOfEnded(
  path: string,
  ownerOf: (name: string, read: () => string | undefined) => ProcessIdentity | undefined,
): void {
  const folder = new PrivateFolder(path);
  // It is not made for this.
  for (const name of attempt(() => readdirSync(path)) ?? []) {
    const owner = ownerOf(name, () => attempt(() => folder.read(name)?.text));
    if (owner !== undefined && !isAlive(owner)) attempt(() => folder.remove(name));
  }
}
