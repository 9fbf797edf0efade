import { attempt, readRegularFile } from "@haft/system";
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { sameValues, type Settings } from "../settings-file.ts";

export interface UsersRemotes {
  had: Settings;
  /** Absent: every branch counts as the user's. */
  branches: ReadonlySet<string> | undefined;
}

const ADDRESS = /^(?:remote\.(.+)\.(?:push)?url|submodule\..+\.url)$/s;
const PUSH_URL = /^remote\.(.+)\.pushurl$/s;
const TARGET = /^(?:branch\.(.+)\.(?:push)?remote|remote\.pushdefault)$/s;
const MOST_BRANCHES = 10_000;
const LARGEST_PACK = 16 * 1024 * 1024;

/** @param key as git lists it */
export function isAddress(key: string): boolean {
  return ADDRESS.test(key);
}

/** True if the user's next push, fetch or submodule update would use another address. `now`: all settings afterwards. */
export function isGitRedirect(
  key: string,
  values: readonly string[],
  { had, branches }: UsersRemotes,
  now: Settings,
): boolean {
  if (values.length === 0) return false;
  if (isAddress(key)) {
    const before = had.get(key);
    if (before !== undefined) return !sameValues(before, values);
    const remote = PUSH_URL.exec(key)?.[1];
    return remote !== undefined && had.has(`remote.${remote}.url`);
  }
  const target = TARGET.exec(key);
  if (target === null || sameValues(had.get(key) ?? [], values)) return false;
  if (values.every((value) => value === "." || isUsersRemote(value, had, now))) return false;
  const branch = target[1];
  if (branch === undefined || branches === undefined || branches.has(branch)) return true;
  return [...had.keys()].some((one) => one.startsWith(`branch.${branch}.`));
}

function isUsersRemote(name: string, had: Settings, now: Settings): boolean {
  const [url, pushUrl] = [`remote.${name}.url`, `remote.${name}.pushurl`];
  if (had.has(url)) return true;
  const addresses = [...(now.get(url) ?? []), ...(now.get(pushUrl) ?? [])];
  const known = new Set([...had].flatMap(([key, values]) => (isAddress(key) ? values : [])));
  return addresses.length > 0 && addresses.every((one) => known.has(one));
}

/** `undefined` if there are too many, or in another format. */
export function listBranches(common: string): ReadonlySet<string> | undefined {
  if (attempt(() => lstatSync(join(common, "reftable"))) !== undefined) return undefined;
  const found = new Set<string>();
  const packed = join(common, "packed-refs");
  if (attempt(() => lstatSync(packed)) !== undefined) {
    const text = attempt(() => readRegularFile(packed, { maxBytes: LARGEST_PACK }).toString());
    if (text === undefined) return undefined;
    for (const [, name] of text.matchAll(/^[0-9a-f]+ refs\/heads\/(.+)$/gm)) found.add(name!);
  }
  const waiting = [""];
  for (const folder of waiting) {
    const entries =
      attempt(() => readdirSync(join(common, "refs/heads", folder), { withFileTypes: true })) ?? [];
    for (const entry of entries) {
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(name);
      else found.add(name);
    }
    if (found.size + waiting.length > MOST_BRANCHES) return undefined;
  }
  return found;
}
