import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createCleanEnvironment, run } from "../scripts/lib/workspace.ts";

/** The peers' package is outside the workspace, and installed on demand. */
export const peersFolder: string = join(import.meta.dirname, "peers");

/** Installs missing pinned peers without install scripts. */
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

/** Measured versions: `ai 7.0.173`. */
export function peerVersions(): string[] {
  const { dependencies = {} } = manifestOf(peersFolder);
  return Object.entries(dependencies).map(([name, version]) => `${name} ${version}`);
}

function manifestOf(folder: string): { version?: string; dependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version?: string };
}
