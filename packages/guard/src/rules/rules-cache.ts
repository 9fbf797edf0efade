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
const LARGEST_KEPT = 16 * 1024 * 1024;

/** Bytes of a file that is compared as a whole; a larger one is read anew each time. */
const LARGEST = 256 * 1024;
/** Files of kept rules, one for each folder that agents work in. */
const MAX_KEPT = 200;
/** Goes up when what is kept changes its form. */
const FORM = 2;
const OTHERS_WRITE = 0o022;

interface Kept {
  form: number;
  wanted: string;
  /** What every file that had a say held; `null` where there was none. */
  seen: Readonly<Record<string, string | null>>;
  rules: GuardRules;
}

/**
 * The rules as they are now. Reading them takes longer than all else that a hook does, so what was read is kept in the state folder
 * with the text of every file it came from, and holds for as long as all of these are the same.
 *
 * @param folder in the state folder, which is closed to every session; `undefined`: nothing is kept
 * @param read reads them anew
 */
export async function readCachedRules(
  folder: string | undefined,
  wanted: RulesRequest,
  read: () => Promise<GuardRules>,
): Promise<GuardRules> {
  const places = placesOf(wanted);
  const key = JSON.stringify([wanted, places, process.versions.node]);
  const file = folder === undefined ? undefined : join(folder, `rules-${shortName(key)}.json`);
  const kept = file === undefined ? undefined : readKept(file);
  if (kept !== undefined && kept.wanted === key && isSame(kept.seen)) return kept.rules;
  const before = seenIn(places);
  const rules = await read();
  const seen = { ...before, ...seenIn(rules.files) };
  // What is broken is read again, until it is not; and so is what cannot be compared, or changed meanwhile.
  const isKept =
    file !== undefined && rules.broken === undefined && Object.values(seen).every((text) => text !== UNCLEAR);
  if (isKept && isSame(seen)) keep(file, { form: FORM, wanted: key, seen, rules });
  return rules;
}

/** Stands for what is no file, or too large, or cannot be read. */
const UNCLEAR = "\0";

function placesOf({ policyFile, folders }: RulesRequest): string[] {
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

function isSame(seen: Kept["seen"]): boolean {
  return Object.entries(seen).every(([path, text]) => text !== UNCLEAR && textOf(path) === text);
}

function seenIn(paths: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(paths.map((path) => [path, textOf(path)]));
}

function textOf(path: string): string | null {
  try {
    // What a link leads to is compared; a pipe would be waited for, and a device never ends.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return null;
    if (!found.isFile() || found.size > LARGEST) return UNCLEAR;
    return readRegularFile(path, { maxBytes: LARGEST, followLink: true }).toString("utf8");
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "ENOENT" ? null : UNCLEAR;
  }
}

/** It is believed as it stands there, so nobody but this user may have written it. */
function readKept(file: string): Kept | undefined {
  try {
    const bytes = readRegularFile(file, {
      maxBytes: LARGEST_KEPT,
      check({ uid, mode }) {
        if (process.geteuid !== undefined && (uid !== process.geteuid() || (mode & OTHERS_WRITE) !== 0))
          throw new Error("another user may have written it");
      },
    });
    const kept = JSON.parse(bytes.toString("utf8")) as Kept;
    return kept.form === FORM ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Another process may do the same: whoever is last has it, in full. What cannot be kept is read again. */
function keep(file: string, kept: Kept): void {
  try {
    const folder = join(file, "..");
    makeFolder(folder, 0o700);
    const others = readdirSync(folder).filter((name) => name.startsWith("rules-"));
    if (others.length >= MAX_KEPT) for (const name of others) rmSync(join(folder, name), { force: true });
    writeAtomically(file, JSON.stringify(kept));
  } catch {
    // The next hook reads them as this one did.
  }
}

/** A name for a text, for files that say what they are for: no protection against somebody who looks for another with the same. */
function shortName(text: string): string {
  let [one, other] = [0xde_ad_be_ef, 0x41_c6_ce_57];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x9e_37_79_b1);
    other = Math.imul(other ^ code, 0x5f_35_64_95);
  }
  return `${(one >>> 0).toString(36)}${(other >>> 0).toString(36)}`;
}
