import { resolve } from "node:path";
import { containsPath, NO_CODE, findHaftCode, type HostCode } from "./haft-code.ts";
import { getRealPath } from "./real-path.ts";

/**
 * All code this host loads from where sessions work: that of Haft, the file the process was started with, the Node
 * that runs it, and what its options name, as plugins that load parts of themselves later. What has been loaded is not at stake, and is
 * guarded all the same: the next start loads it again.
 *
 * @param given `false`: none of it, for who works on Haft itself with a copy that may break
 * @param roots real paths
 */
export function findHostCode(given: readonly string[] | false, roots: readonly string[]): HostCode {
  if (given === false) return NO_CODE;
  const own = ownCodeNow(roots);
  const [, entry] = process.argv;
  const named = [...given, process.execPath, ...(entry === undefined ? [] : [entry])].map((path) =>
    resolve(path),
  );
  const really = named.map((path) => getRealPath(path) ?? path);
  const concerns = (path: string) =>
    roots.some((root) => containsPath(root, path) || containsPath(path, root));
  const code = [...new Set(really)].filter(concerns);
  // A link is a name: the folder it is in is not code.
  const names = named.filter((path) => concerns(path) && !really.includes(path));
  return {
    code: [...own.code, ...code],
    names: [...own.names, ...names],
    protectedPaths: [...own.protectedPaths, ...code],
    unmountableNames: own.unmountableNames,
  };
}

let now: { roots: string; own: HostCode } | undefined;

/** All hosts of a process are asked at once, and the search blocks the thread: it is made once for all of them. */
function ownCodeNow(roots: readonly string[]): HostCode {
  const key = roots.join("\0");
  if (now?.roots !== key) {
    now = { roots: key, own: findHaftCode(roots) };
    queueMicrotask(() => (now = undefined));
  }
  return now.own;
}
