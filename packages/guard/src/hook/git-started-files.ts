import { createGitProgramList, resolveRealPath } from "@haft/workspace/internal/git-programs";
import { homedir } from "node:os";

/** Covers files in a `.git` folder, and files about which the file tools of Haft ask for this reason. */
export function createGitFileCheck(root: string): (path: string) => boolean {
  const home = homedir();
  const list = createGitProgramList({ root, home, roots: [root] }, { home, env: process.env, roots: [root] });
  return (path) =>
    [path, resolveRealPath(path)].some((one) => /\/\.git(?:\/|$)/i.test(one) || list.denies(one));
}
