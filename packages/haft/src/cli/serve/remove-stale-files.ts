import { defaultStateFolder, parseEndpointOwner } from "@haft/config/internal/boundary";
import { attempt, isAlive, type ProcessIdentity, PrivateFolder, getCurrentProcess } from "@haft/system";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Takes away what programs that were killed left in a state folder: the addresses of their pages, with tokens, and what their endpoints
 * said of themselves. What cannot be looked at, or is somebody else's, stays.
 *
 * @param stateDir as hosts are given it
 */
export function removeStaleFiles(stateDir: string | false | undefined): void {
  if (stateDir !== false) removeOfEnded(join(stateDir ?? defaultStateFolder(), "inspect"), addressOwner);
  // Hooks look there alone.
  removeOfEnded(join(defaultStateFolder(), "serve"), parseEndpointOwner);
}

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

const NAME = /^address-(\d+)(?:-(\d+))?-\d+$/;

export function getAddressFile(port: number): string {
  const { pid, started } = getCurrentProcess();
  return `address-${pid}-${started}-${port}`;
}

function addressOwner(name: string): ProcessIdentity | undefined {
  const [, pid, started = 0] = NAME.exec(name) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), started: Number(started) };
}
