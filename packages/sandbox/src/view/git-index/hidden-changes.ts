import { attempt, readRegularFile } from "@haft/system";
import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { printRawPath, formatPaths, pathFromBytes } from "../../mounts/raw-path.ts";
import { readChangeStamp, entryExists } from "../../mounts/stats.ts";
import { readBackLink, listWorktrees } from "../git/repository.ts";
import { readEntries } from "./change-index.ts";

const FILES: readonly (readonly [name: string, hides: string])[] = [
  ["info/exclude", "new files from git status"],
  ["info/attributes", "differences from git diff"],
  ["info/grafts", "commits from git log"],
];
const MOST_NAMED = 5;
const MOST_REFS = 1000;
const LARGEST_PACK = 16 * 1024 * 1024;

/** Reports flags, uncommitted rules and replaced objects that hide changes from the user's git. They stay. */
export class HiddenChanges {
  readonly #isTouched: (path: string) => boolean;
  readonly #known = new Map<string, ReadonlySet<string>>();
  readonly #indexes = new Map<string, string>();

  constructor(isTouched: (path: string) => boolean) {
    this.#isTouched = isTouched;
  }

  scan(common: string): string[] {
    const notes: string[] = [];
    for (const folder of [common, ...listWorktrees(common)]) {
      const flagged = this.#newFlags(folder, common);
      if (flagged.length > 0)
        notes.push(
          `Git does not show changes of ${formatPaths(flagged, MOST_NAMED)} in ${printRawPath(topOf(folder) ?? folder)}, because flags in its index were set while commands ran. A person can show them again with git update-index --no-skip-worktree --no-assume-unchanged PATH.`,
        );
    }
    for (const [name, hides] of FILES) {
      const path = join(common, name);
      const lines = this.#newOf(path, () => rulesIn(path));
      if (lines.length > 0)
        notes.push(
          `${printRawPath(path)} got new lines while commands ran, and can hide ${hides}: ${formatPaths(lines, MOST_NAMED)}.`,
        );
    }
    const replaced = this.#newOf(join(common, "refs/replace"), () => replacementsIn(common), [
      join(common, "packed-refs"),
    ]);
    if (replaced.length > 0)
      notes.push(
        `Git shows other objects than those of the commits in ${printRawPath(common)}, because refs/replace got new names while commands ran: ${formatPaths(replaced, MOST_NAMED)}. A person can show the real objects with git --no-replace-objects, and remove the replacements with git replace -d.`,
      );
    return notes;
  }

  #newFlags(folder: string, common: string): string[] {
    const path = join(folder, "index");
    const state = readChangeStamp(path);
    if (this.#indexes.get(path) === state) return [];
    this.#indexes.set(path, state);
    return this.#newOf(path, () => flagsIn(folder, common));
  }

  #newOf(path: string, read: () => readonly string[], also: readonly string[] = []): string[] {
    const now = read();
    const before = this.#known.get(path);
    this.#known.set(path, new Set(now));
    if (now.length === 0 || ![path, ...also].some((one) => this.#isTouched(one))) return [];
    return now.filter((one) => before?.has(one) !== true);
  }
}

/** Returns existing files that git does not check. */
function flagsIn(folder: string, common: string): string[] {
  const top = topOf(folder);
  return readEntries(folder, common).flatMap(({ name, assumeUnchanged, skipWorktree }) => {
    if (!assumeUnchanged && !skipWorktree) return [];
    const path = pathFromBytes(Buffer.from(name, "latin1"));
    // Sparse checkouts omit such files.
    return assumeUnchanged || (top !== undefined && entryExists(join(top, path))) ? [path] : [];
  });
}

function topOf(folder: string): string | undefined {
  if (basename(folder) === ".git") return dirname(folder);
  if (basename(dirname(folder)) === "worktrees") {
    const link = readBackLink(folder);
    return link === undefined ? undefined : dirname(link);
  }
  const text = attempt(() => readRegularFile(join(folder, "config")).toString());
  const path = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/m.exec(text ?? "")?.[1];
  return path === undefined ? undefined : resolve(folder, path);
}

function rulesIn(path: string): string[] {
  const text = attempt(() => readRegularFile(path).toString()) ?? "";
  return text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
}

function replacementsIn(common: string): string[] {
  const loose = attempt(() => readdirSync(join(common, "refs/replace"))) ?? [];
  const packed = attempt(() =>
    readRegularFile(join(common, "packed-refs"), { maxBytes: LARGEST_PACK }).toString(),
  );
  const names = Array.from((packed ?? "").matchAll(/^[0-9a-f]+ refs\/replace\/(.+)$/gm), ([, name]) => name!);
  return [...new Set([...loose, ...names])].slice(0, MOST_REFS);
}
