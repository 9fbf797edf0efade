/** The command, a file of its package for an interpreter, a version or an archive. */
export const HAFT_PROGRAM =
  /(?:^|[/:])(?:haft(?:\.[cm]?[jt]s|@[^/]*|-\d[^/]*\.tgz|\/(?:dist|bin)\/.*)?|guard-hook(?:\.[cm]?[jt]s)?)$/;

/** Limits the search for a package above a file, in folders. */
const MAX_FOLDERS = 16;
const MAX_BYTES = 256 * 1024;

/**
 * Returns whether a word names a file of a package of Haft, including copies and links: the nearest `package.json` above its real path
 * decides.
 *
 * @param cwd folder of relative words
 */
export function isHaftFile(word: string, cwd: string): boolean {
  if (word.startsWith("-") || word.length > 4096) return false;
  const { constants, realpathSync, statSync, readFileSync } = process.getBuiltinModule("node:fs");
  const { dirname, join, resolve } = process.getBuiltinModule("node:path");
  try {
    let at = dirname(realpathSync(resolve(cwd, word)));
    for (let count = 0; count < MAX_FOLDERS; count++) {
      const file = join(at, "package.json");
      const found = statSync(file, { throwIfNoEntry: false });
      if (found?.isFile() === true) {
        if (found.size > MAX_BYTES) return false;
        // The file may be a pipe now.
        const text = readFileSync(file, { encoding: "utf8", flag: constants.O_NONBLOCK });
        const { name } = JSON.parse(text) as { name?: unknown };
        return typeof name === "string" && /^(?:haft|@haft\/.*)$/.test(name);
      }
      if (dirname(at) === at) return false;
      at = dirname(at);
    }
  } catch {
    // No such file, or no package name.
  }
  return false;
}
