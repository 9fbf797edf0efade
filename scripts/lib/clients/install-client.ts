import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outsideEnvironment, root, run } from "../workspace.ts";
import { type Client, versionOf } from "./client.ts";

/** Where a client is installed: once for each version. */
export function folderOf(client: Client): string {
  return join(root, ".haft/clients", `${client.name}-${versionOf(client)}`);
}

/** Installs a client from npm, where it is not there yet. */
export async function installClient(client: Client): Promise<void> {
  const folder = folderOf(client);
  if (existsSync(join(folder, "node_modules/.bin", client.bin))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...client.packages], {
    cwd: folder,
    env: outsideEnvironment(),
  });
}
