import { createGitProgramList, realPlace } from "@haft/workspace/internal/git-programs";
import { homedir } from "node:os";

let list: ReturnType<typeof createGitProgramList> | undefined;

/**
 * Whether git or one of its hooks runs a file: what lies in a `.git` folder, and what the file tools of Haft ask about for that reason.
 * Loaded for calls that write alone.
 *
 * @param root the folder of the project
 */
export function isStartedByGit(path: string, root: string): boolean {
  const home = homedir();
  list ??= createGitProgramList({ root, home, roots: [root] }, { home, env: process.env, roots: [root] });
  const real = realPlace(path);
  return [path, real].some((one) => /\/\.git(?:\/|$)/i.test(one) || list!.denies(one));
}
