import { resolve } from "node:path";
import { containsPath, NO_CODE, findHaftCode, type HostCode } from "./haft-code.ts";
import { getRealPath } from "./real-path.ts";

/**
 * Returns all code that this host loads from the roots: Haft, the main file of the process, its Node, and files from options. Loaded code
 * is included, because the next start loads it again.
 *
 * @param given `false` protects nothing, for developers who run a copy of Haft that may break
 * @param roots real paths
 */
export function findHostCode(given: readonly string[] | false, roots: readonly string[]): HostCode {
  if (given === false) return NO_CODE;
  const haftCode = findOwnCode(roots);
  const [, entry] = process.argv;
  const named = [...given, process.execPath, ...(entry === undefined ? [] : [entry])].map((path) =>
    resolve(path),
  );
  const really = named.map((path) => getRealPath(path) ?? path);
  const concerns = (path: string) =>
    roots.some((root) => containsPath(root, path) || containsPath(path, root));
  const code = [...new Set(really)].filter(concerns);
  // The folder of a link is not code.
  const names = named.filter((path) => concerns(path) && !really.includes(path));
  return {
    code: [...haftCode.code, ...code],
    names: [...haftCode.names, ...names],
    protectedPaths: [...haftCode.protectedPaths, ...code],
    unmountableNames: haftCode.unmountableNames,
  };
}

let now: { roots: string; own: HostCode } | undefined;

/** The search blocks the thread, so all hosts of a process share it. */
function findOwnCode(roots: readonly string[]): HostCode {
  const key = roots.join("\0");
  if (now?.roots !== key) {
    now = { roots: key, own: findHaftCode(roots) };
    queueMicrotask(() => (now = undefined));
  }
  return now.own;
}
