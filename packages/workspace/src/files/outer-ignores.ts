import type { FileSystem } from "@haft/core";
import { lstatSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { attempt } from "../system/attempt.ts";
import { isWithin } from "../system/is-within.ts";
import { excludesFile } from "./excludes-file.ts";
import { commonGitFolder, readLines } from "./git-folder.ts";

type OuterIgnores = Awaited<ReturnType<NonNullable<FileSystem["outerIgnores"]>>>;

const NAMES = [".gitignore", ".ignore", ".rgignore"] as const;

/**
 * Looks outside of a root for what is ignored in it: on behalf of tools, which open nothing there.
 *
 * @param root its real path
 * @param home of whoever's excludes count
 */
export async function outerIgnores(root: string, home: string): Promise<OuterIgnores> {
  const excludes = await excludesFile(home);
  const user = excludes === undefined ? "" : readLines(excludes, { follow: true });
  const repository = repositoryOf(root);
  if (repository === undefined) return { above: [], user };
  const above: OuterIgnores["above"][number][] = [];
  for (let folder = root; folder !== repository;) {
    folder = dirname(folder);
    const below = relative(folder, root);
    const files = NAMES.map((name) => ({ name, below, text: readLines(join(folder, name)) }));
    above.unshift(...files.filter(({ text }) => text !== ""));
  }
  const git = commonGitFolder(repository);
  // Within the root it is read like any other file there.
  const exclude = isWithin(git, root) ? "" : readLines(join(git, "info/exclude"));
  return { above, repository: { below: relative(repository, root), exclude }, user };
}

function repositoryOf(root: string): string | undefined {
  for (let folder = root; ; folder = dirname(folder)) {
    if (attempt(() => lstatSync(join(folder, ".git"))) !== undefined) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}
