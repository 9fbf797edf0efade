import { mkdirSync, writeFileSync } from "node:fs";
import { getNodePackage } from "./packed.ts";
import { createCleanEnvironment, run } from "./workspace.ts";

/** As in package.json. */
export const PNPM = "12.21.0";
const NPM = "11";

/** Installs packages and tarballs into a folder, and retries a failed download once. Returns the commands' folder. */
export async function installPrograms(folder: string, ...wanted: string[]): Promise<string> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, '{ "private": true, "type": "module" }\n');
  const install = () =>
    run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...wanted], {
      cwd: folder,
      env: createCleanEnvironment(),
    });
  await install().catch(install);
  return `${folder}/node_modules/.bin`;
}

/** Installs Node and both package managers; returns the commands' folder. */
export function installNode(folder: string, version: string): Promise<string> {
  return installPrograms(folder, `${getNodePackage()}@${version}`, `npm@${NPM}`, `pnpm@${PNPM}`);
}
