import { createGitProgramList, resolveRealPath } from "@haft/workspace/internal/git-programs";
import { homedir } from "node:os";

/**
 * Tells of a file whether git or one of its hooks runs it: what lies in a `.git` folder, and what the file tools of Haft ask about for
 * that reason. Loaded for calls that write alone.
 *
 * @param root the folder of the project
 */
export function createGitFileCheck(root: string): (path: string) => boolean {
  const home = homedir();
  const list = createGitProgramList({ root, home, roots: [root] }, { home, env: process.env, roots: [root] });
  return (path) =>
    [path, resolveRealPath(path)].some((one) => /\/\.git(?:\/|$)/i.test(one) || list.denies(one));
}
