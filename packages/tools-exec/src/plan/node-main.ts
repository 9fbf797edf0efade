import type { FileIdentity, FileSystem } from "@haft/plugin-sdk";
import { posix } from "node:path";

const MAX_BYTES = 256 * 1024;

/** Returns the candidates for the `main` of each folder's package.json. The first existing file counts. */
export async function findNodeMains(
  fs: FileSystem,
  folders: readonly string[],
  sources: ReadonlyMap<string, FileIdentity | undefined>,
): Promise<string[][]> {
  const groups: string[][] = [];
  for (const folder of folders) {
    if (sources.get(`${folder}/package.json`) === undefined) continue;
    const main = await mainOf(fs, `${folder}/package.json`);
    if (main === undefined) continue;
    const path = posix.join(folder, main);
    groups.push([path, `${path}.js`, `${path}.json`, `${path}.node`, `${path}/index.js`]);
  }
  return groups;
}

async function mainOf(fs: FileSystem, path: string): Promise<string | undefined> {
  try {
    const { bytes } = await fs.read(path, { length: MAX_BYTES });
    const { main } = JSON.parse(Buffer.from(bytes).toString()) as { main?: unknown };
    return typeof main === "string" && main !== "" ? main : undefined;
  } catch {
    return undefined;
  }
}
