import { readFileSync } from "node:fs";
import { join, relative } from "node:path";

type Find = (text: string, wanted: { name: string; version: string; place: string }) => string | undefined;

/** The lockfiles that are known, in the order in which they are looked for. */
const LOCKFILES: readonly [string, Find][] = [
  ["package-lock.json", inNpm],
  ["npm-shrinkwrap.json", inNpm],
  ["pnpm-lock.yaml", inPnpm],
  ["yarn.lock", inYarn],
];

/**
 * What the lockfile of the project says a package is: `integrity`, or Yarn's `checksum`.
 *
 * @param folder of the package, as it really is
 */
export function lockedIntegrity(
  folder: string,
  name: string,
  version: string,
): { file: string; integrity: string } | undefined {
  const project = projectOf(folder);
  if (project === undefined) return undefined;
  const wanted = { name, version, place: relative(project, folder) };
  for (const [file, find] of LOCKFILES) {
    const path = join(project, file);
    const text = read(path);
    if (text === undefined) continue;
    const integrity = find(text, wanted);
    // One that does not speak of it says nothing; another may.
    if (integrity !== undefined) return { file: path, integrity };
  }
  return undefined;
}

/** The folder around the outermost `node_modules`. */
function projectOf(folder: string): string | undefined {
  const index = `${folder}/`.indexOf("/node_modules/");
  return index <= 0 ? undefined : folder.slice(0, index);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function inNpm(text: string, { version, place }: Parameters<Find>[1]): string | undefined {
  try {
    const { packages = {} } = JSON.parse(text) as {
      packages?: Record<string, { version?: string; integrity?: string } | undefined>;
    };
    const entry = packages[place];
    return entry?.version === version ? entry.integrity : undefined;
  } catch {
    return undefined;
  }
}

/** Line by line: reading a large one as YAML takes seconds. */
function inPnpm(text: string, { name, version }: Parameters<Find>[1]): string | undefined {
  const key = new RegExp(`^  ['"]?/?${plain(`${name}@${version}`)}['"]?(?:\\(.*)?:$`, "m").exec(text);
  if (key === null) return undefined;
  const entry = text.slice(key.index + key[0].length).split(/\n\S|\n {2}\S/)[0];
  return /\bintegrity: ['"]?([\w+/=-]+)/.exec(entry ?? "")?.[1];
}

/** Without a meaning in a pattern. */
function plain(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

function inYarn(text: string, { name, version }: Parameters<Find>[1]): string | undefined {
  const blocks = text.split(/\n(?=\S)/);
  const ofName = blocks.filter((block) =>
    block
      .split("\n", 1)[0]!
      .split(",")
      .some((each) => each.trim().replace(/^"/, "").startsWith(`${name}@`)),
  );
  const block = ofName.find((each) => /^ {2}version:? "?([^"\n]+)"?$/m.exec(each)?.[1] === version);
  return /^ {2}(?:integrity|checksum):? "?([^"\s]+)"?$/m.exec(block ?? "")?.[1];
}
