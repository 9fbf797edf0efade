import { baseName } from "./names.ts";

/** Names that stand for many programs: which one it is, the name it is started by says. */
const MANY_IN_ONE = /^(?:busybox|toybox|coreutils|rustup|.*-shim|volta|mise|asdf)$/;

/**
 * Returns whether a program depends on the name it is started by, such as `busybox`.
 *
 * @example
 * ```ts run
 * import { isMultiCallBinary } from "@haft/commands";
 *
 * isMultiCallBinary("/bin/busybox"); // => true
 * ```
 */
export function isMultiCallBinary(path: string): boolean {
  return MANY_IN_ONE.test(baseName(path));
}
