import { attempt, isWithin } from "@haft/system";
import { readlinkSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { nativePath, pathFromBytes } from "../../mounts/raw-path.ts";
import { tryReadFolder } from "../../mounts/read-folder.ts";
import { realRepositoryPath } from "../git/repository.ts";

const MOST = 2000;
const OF_PACKAGES: ReadonlySet<string> = new Set(["node_modules", "site-packages"]);

export function isInAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(path, folder));
}

export interface UnscannedFolders {
  /** Here only folders of git are skipped. */
  roots: readonly string[];
  folders: readonly string[];
}

/** Also true if the target does not exist yet. */
export function isLinkToUnscanned(link: string, { roots, folders }: UnscannedFolders): boolean {
  const target = targetOf(link);
  if (target === undefined) return false;
  if (isInAny(target, folders)) return true;
  return roots.some((root) => isWithin(target, root) && relative(root, target).split("/").includes(".git"));
}

function targetOf(link: string): string | undefined {
  const text = attempt(() => pathFromBytes(readlinkSync(nativePath(link), "buffer")));
  if (text === undefined) return undefined;
  const target = resolve(dirname(link), text);
  for (let at = target; ; at = dirname(at)) {
    const real = realRepositoryPath(at);
    if (real !== undefined) return join(real, relative(at, target));
    if (at === dirname(at)) return undefined;
  }
}

function walkBelow(start: string, take: (path: string, isFolder: boolean) => boolean): void {
  const waiting = [start];
  for (let at = 0; at < waiting.length && at < MOST; at++)
    for (const entry of tryReadFolder(waiting[at]!)) {
      const path = join(waiting[at]!, entry.name);
      if (take(path, entry.isDirectory())) waiting.push(path);
    }
}

/** A path that starts programs by its name behind a link. */
export interface LinkedSetting {
  link: string;
  real: string;
}

/** Example: `.github -> docs`, if `docs/hooks` exists. */
export function findLinkedSettings(
  links: Iterable<string>,
  roots: readonly string[],
  isWanted: (path: string) => boolean,
): LinkedSetting[] {
  const isInside = (path: string | undefined): path is string => path !== undefined && isInAny(path, roots);
  const found: LinkedSetting[] = [];
  for (const link of links) {
    if (!isInside(realRepositoryPath(link))) continue;
    walkBelow(link, (path) => {
      const real = isWanted(path) ? realRepositoryPath(path) : undefined;
      if (!isInside(real) || isWanted(real)) return true;
      found.push({ link, real });
      return false;
    });
  }
  return found;
}

export function foldersFromPatterns(patterns: readonly string[]): string[] {
  const found = patterns.flatMap((pattern) => {
    const ends = [...pattern.matchAll(/\/(?![^{]*\})/g)].map(({ index }) => pattern.slice(0, index));
    return ends.filter((end) => !/^(?:~|\*\*)?$/.test(end) && !end.endsWith("/**"));
  });
  return [...new Set(found)];
}

/** Packages run code anyway, and are not opened as projects. Their settings stay, unless a link adds the folder to the project. */
export class InstalledPackages {
  readonly #roots: readonly string[];
  readonly #links = new Set<string>();

  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  contains(path: string): boolean {
    const root = this.#roots.find((one) => isWithin(path, one));
    const names = root === undefined ? [] : path.slice(root.length).split(sep);
    return names.some((name) => OF_PACKAGES.has(name));
  }

  addLink(link: string): void {
    const target = realRepositoryPath(link);
    // It may be created later.
    if (target === undefined || this.contains(target)) this.#links.add(link);
  }

  findByLinks(isWanted: (path: string) => boolean): string[] {
    const found = new Set<string>();
    for (const link of this.#links) {
      const target = realRepositoryPath(link);
      if (target === undefined || !this.contains(target)) continue;
      walkBelow(target, (path, isFolder) => {
        if (isWanted(path)) found.add(path);
        return !found.has(path) && isFolder && !OF_PACKAGES.has(path.slice(path.lastIndexOf(sep) + 1));
      });
    }
    return [...found];
  }
}
