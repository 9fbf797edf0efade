import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createCleanEnvironment, run } from "../scripts/lib/workspace.ts";

/** The peers' own package: outside of the workspace, installed when they are asked for. */
export const peersFolder: string = join(import.meta.dirname, "peers");

/** Installs the pinned versions of the peers, without their install scripts, unless they are there. */
export async function installPeers(): Promise<void> {
  const { dependencies = {} } = manifestOf(peersFolder);
  const missing = Object.entries(dependencies).filter(([name, version]) => {
    const folder = join(peersFolder, "node_modules", name);
    return !existsSync(folder) || manifestOf(folder).version !== version;
  });
  if (missing.length === 0) return;
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  await run("npm", ["install", ...options], { cwd: peersFolder, env: createCleanEnvironment() });
}

/** `ai 7.0.173`: the versions that are measured. */
export function peerVersions(): string[] {
  const { dependencies = {} } = manifestOf(peersFolder);
  return Object.entries(dependencies).map(([name, version]) => `${name} ${version}`);
}

function manifestOf(folder: string): { version?: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: string };
}
