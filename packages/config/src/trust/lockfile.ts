import { readRegularFile } from "@haft/system";
import { statSync } from "node:fs";
import { join, relative } from "node:path";

/** Bytes. */
const LARGEST = 256 * 1024 * 1024;

interface Wanted {
  name: string;
  version: string;
  place: string;
}

type Find = (wanted: Wanted) => string | undefined;

const LOCKFILES: readonly [string, (text: string) => Find][] = [
  ["package-lock.json", readNpm],
  ["npm-shrinkwrap.json", readNpm],
  ["pnpm-lock.yaml", readPnpm],
  ["yarn.lock", readYarn],
  ["bun.lock", readBun],
];

/** Cached until a lockfile changes. */
const known = new Map<string, { stamp: string; find: Find }>();

/**
 * Returns `integrity`, or Yarn's `checksum`.
 *
 * @param folder real path of the package
 */
export function integrityInLockfile(
  folder: string,
  name: string,
  version: string,
): { file: string; integrity: string } | undefined {
  const project = projectOf(folder);
  if (project === undefined) return undefined;
  const wanted = { name, version, place: relative(project, folder) };
  for (const [file, read] of LOCKFILES) {
    const path = join(project, file);
    const integrity = finderOf(path, read)?.(wanted);
    if (integrity !== undefined) return { file: path, integrity };
  }
  return undefined;
}

function projectOf(folder: string): string | undefined {
  const index = `${folder}/`.indexOf("/node_modules/");
  return index <= 0 ? undefined : folder.slice(0, index);
}

function finderOf(path: string, read: (text: string) => Find): Find | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found?.isFile() !== true) return undefined;
  // Users cannot set the ctime.
  const stamp = [found.dev, found.ino, found.size, found.ctimeNs].join(":");
  const before = known.get(path);
  if (before?.stamp === stamp) return before.find;
  const find = read(readRegularFile(path, { maxBytes: LARGEST, followLink: true }).toString("utf8"));
  known.set(path, { stamp, find });
  return find;
}

function readNpm(text: string): Find {
  let packages: Record<string, { version?: string; integrity?: string } | undefined> = {};
  try {
    ({ packages = {} } = JSON.parse(text) as { packages?: typeof packages });
  } catch {
    // It lists nothing.
  }
  return ({ version, place }) => {
    const entry = packages[place];
    return entry?.version === version ? entry.integrity : undefined;
  };
}

/** A YAML parser takes seconds for a large file. */
function readPnpm(text: string): Find {
  const entries = new Map<string, string>();
  const block = /^ {2}['"]?\/?([^\s'"(]+)(?:\(.*)?['"]?:\n((?: {4}.*\n)+)/gm;
  for (const [, name = "", body = ""] of text.matchAll(block)) {
    const integrity = /\bintegrity: ['"]?([\w+/=-]+)/.exec(body)?.[1];
    if (integrity !== undefined) entries.set(name, integrity);
  }
  return ({ name, version }) => entries.get(`${name}@${version}`);
}

function readYarn(text: string): Find {
  const entries = new Map<string, string>();
  for (const block of text.split(/\n(?=\S)/)) {
    const [head = ""] = block.split("\n", 1);
    const version = /^ {2}version:? "?([^"\n]+)"?$/m.exec(block)?.[1];
    const integrity = /^ {2}(?:integrity|checksum):? "?([^"\s]+)"?$/m.exec(block)?.[1];
    if (version === undefined || integrity === undefined) continue;
    for (const each of head.split(",")) {
      const name = /^\s*"?((?:@[^@/\s]+\/)?[^@\s"]+)@/.exec(each)?.[1];
      if (name !== undefined) entries.set(`${name}@${version}`, integrity);
    }
  }
  return ({ name, version }) => entries.get(`${name}@${version}`);
}

function readBun(text: string): Find {
  const entries = new Map<string, string>();
  const line = /^ *"[^"\n]+": \["([^"\n]+)".*"(sha\d+-[^"\n]+)"\],?$/gm;
  for (const [, name = "", integrity = ""] of text.matchAll(line)) entries.set(name, integrity);
  return ({ name, version }) => entries.get(`${name}@${version}`);
}
