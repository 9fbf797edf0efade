import {
  getWorkspaceConfigurationPaths,
  MACHINE_FILE,
  getUserConfigurationPaths,
} from "@haft/config/internal/boundary";
import { writeAtomically, readRegularFile } from "@haft/system";
import { makeFolder } from "@haft/utils";
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { GuardRules, RulesRequest } from "./guard-rules.ts";

/** Bytes. */
const LARGEST_CACHE = 16 * 1024 * 1024;

/** Bytes. Larger files are read each time. */
const LARGEST = 256 * 1024;
/** One file for each project folder. */
const MAX_CACHED = 200;
const FORM = 3;
const OTHERS_WRITE = 0o022;

interface CachedRules {
  form: number;
  wanted: string;
  /** `null`: missing. */
  seen: Readonly<Record<string, string | null>>;
  rules: GuardRules;
}

/**
 * Reading the rules is the slowest part of a hook. The cache is valid while all source texts are equal.
 *
 * @param folder No session can write it; `undefined` disables the cache.
 */
export async function readCachedRules(
  folder: string | undefined,
  wanted: RulesRequest,
  read: () => Promise<GuardRules>,
): Promise<GuardRules> {
  const paths = sourcePaths(wanted);
  const key = JSON.stringify([wanted, paths, process.versions.node]);
  const file = folder === undefined ? undefined : join(folder, `rules-${shortName(key)}.json`);
  const cached = file === undefined ? undefined : readCache(file);
  if (cached !== undefined && cached.wanted === key && isSame(cached.seen)) return cached.rules;
  const before = seenIn(paths);
  const rules = await read();
  const seen = { ...before, ...seenIn(rules.files) };
  const isCacheable =
    file !== undefined && rules.broken === undefined && Object.values(seen).every((text) => text !== UNCLEAR);
  if (isCacheable && isSame(seen)) keep(file, { form: FORM, wanted: key, seen, rules });
  return rules;
}

/** Not a file, too large or unreadable. */
const UNCLEAR = "\0";

function sourcePaths({ policyFile, folders }: RulesRequest): string[] {
  const { HAFT_CONFIG: config = "", HAFT_POLICY: policy = "", HAFT_ADMIN_POLICY: machine } = process.env;
  const named = [policyFile ?? "", config, policy, machine ?? MACHINE_FILE].filter((path) => path !== "");
  return [
    ...new Set([
      ...named,
      ...getUserConfigurationPaths(),
      ...folders.flatMap(getWorkspaceConfigurationPaths),
    ]),
  ];
}

function isSame(seen: CachedRules["seen"]): boolean {
  return Object.entries(seen).every(([path, text]) => text !== UNCLEAR && textOf(path) === text);
}

function seenIn(paths: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(paths.map((path) => [path, textOf(path)]));
}

function textOf(path: string): string | null {
  try {
    // Reading a pipe would block, and a device never ends.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return null;
    if (!found.isFile() || found.size > LARGEST) return UNCLEAR;
    return readRegularFile(path, { maxBytes: LARGEST, followLink: true }).toString("utf8");
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ENOENT" ? null : UNCLEAR;
  }
}

/** Only this user may be able to write the trusted content. */
function readCache(file: string): CachedRules | undefined {
  try {
    const bytes = readRegularFile(file, {
      maxBytes: LARGEST_CACHE,
      check({ uid, mode }) {
        if (process.geteuid !== undefined && (uid !== process.geteuid() || (mode & OTHERS_WRITE) !== 0))
          throw new Error("another user may have written it");
      },
    });
    const cached = JSON.parse(bytes.toString("utf8")) as CachedRules;
    return cached.form === FORM ? cached : undefined;
  } catch {
    return undefined;
  }
}

function keep(file: string, cached: CachedRules): void {
  try {
    const folder = join(file, "..");
    makeFolder(folder, 0o700);
    const others = readdirSync(folder).filter((name) => name.startsWith("rules-"));
    if (others.length >= MAX_CACHED) for (const name of others) rmSync(join(folder, name), { force: true });
    writeAtomically(file, JSON.stringify(cached));
  } catch {
    // The next hook reads the rules again.
  }
}

/** Collisions are easy to construct; the file contains the full text. */
function shortName(text: string): string {
  let [one, other] = [0xde_ad_be_ef, 0x41_c6_ce_57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x9e_37_79_b1);
    other = Math.imul(other ^ code, 0x5f_35_64_95);
  }
  return `${(one >>> 0).toString(36)}${(other >>> 0).toString(36)}`;
}
