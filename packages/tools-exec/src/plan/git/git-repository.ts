import { entersGitFolder } from "@haft/commands";
import { posix } from "node:path";
import { listAncestors } from "../paths.ts";
import type { GitContext } from "./git-context.ts";

/** All paths are real. */
export interface RepositoryPaths {
  top: string;
  gitDir: string;
  /** Folder of settings and hooks: another folder in a linked worktree. */
  commonDir: string;
}

/** Works like git. Returns `undefined` without a repository, and a reason, which completes a sentence, if the result is uncertain. */
export async function findRepository(
  context: GitContext,
  folder: string,
): Promise<RepositoryPaths | { unclear: string } | undefined> {
  const levels = listAncestors(folder);
  const candidates = await context.inspect(levels.map((level) => posix.join(level, ".git")));
  const at = candidates.findIndex((one) => one !== undefined);
  const passed = at < 0 ? levels : levels.slice(0, at + 1);
  await context.inspectAndGuard(passed.map((level) => posix.join(level, ".git")));
  const bare = await findBare(context, passed);
  if (bare !== undefined) return { unclear: `${bare} has the files of a repository, but is not used by git` };
  const [top, found] = [levels[at], candidates[at]];
  if (top === undefined || found === undefined) return undefined;
  const gitDir = found.isFolder === true ? found.realPath : await folderOfFile(context, top, found.content);
  if (gitDir === undefined) return { unclear: `${posix.join(top, ".git")} does not lead to a repository` };
  const commonDir = await commonOf(context, gitDir);
  const parts = await context.inspect([`${gitDir}/HEAD`, `${commonDir}/objects`, `${commonDir}/refs`]);
  if (parts.includes(undefined))
    return { unclear: `${gitDir} is not complete, so git uses another repository` };
  for (const one of [gitDir, commonDir]) {
    if (!entersGitFolder(one) && (await context.isInside(one, "rw")))
      return { unclear: `its repository is ${one}, where file tools can write` };
  }
  return { top, gitDir, commonDir };
}

async function findBare(context: GitContext, levels: readonly string[]): Promise<string | undefined> {
  const names = ["HEAD", "objects", "refs"];
  const found = await context.inspect(
    levels.flatMap((level) => names.map((name) => posix.join(level, name))),
  );
  return levels.find((_, at) => found.slice(at * 3, at * 3 + 3).every((one) => one !== undefined));
}

async function folderOfFile(
  context: GitContext,
  top: string,
  content: string | undefined,
): Promise<string | undefined> {
  const named = /^gitdir: ([^\n\0]+)\n*$/.exec(content ?? "")?.[1];
  if (named === undefined) return undefined;
  const [folder] = await context.inspectAndGuard([posix.resolve(top, named)]);
  return folder?.isFolder === true ? folder.realPath : undefined;
}

async function commonOf(context: GitContext, gitDir: string): Promise<string> {
  const [file] = await context.inspectAndGuard([`${gitDir}/commondir`]);
  const named = file?.content?.replace(/[\r\n]+$/, "");
  if (named === undefined || named === "") return gitDir;
  const [folder] = await context.inspectAndGuard([posix.resolve(gitDir, named)]);
  return folder?.realPath ?? gitDir;
}
