import { defaultStateFolder, parseEndpointOwner } from "@haft/config/internal/boundary";
import { attempt, isAlive, type ProcessIdentity, PrivateFolder, getCurrentProcess } from "@haft/system";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Removes killed programs' pages (with tokens) and endpoints from a state folder, except unreadable or foreign files. */
export function removeStaleFiles(stateDir: string | false | undefined): void {
  if (stateDir !== false) removeOfEnded(join(stateDir ?? defaultStateFolder(), "inspect"), addressOwner);
  // Hooks read only this folder.
  removeOfEnded(join(defaultStateFolder(), "serve"), parseEndpointOwner);
}

function removeOfEnded(
  path: string,
  ownerOf: (name: string, read: () => string | undefined) => ProcessIdentity | undefined,
): void {
  const folder = new PrivateFolder(path);
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
