import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPrograms } from "../program-versions.ts";
import { root } from "../workspace.ts";
import { type Client, getClientVersion } from "./client.ts";

/** Each version has a folder. */
export function getClientFolder(client: Client): string {
  return join(root, ".haft/clients", `${client.name}-${getClientVersion(client)}`);
}

/** Installs a missing client from npm. */
export async function installClient(client: Client): Promise<void> {
  const folder = getClientFolder(client);
  if (existsSync(join(folder, "node_modules/.bin", client.bin))) return;
  await installPrograms(folder, ...client.packages);
}
