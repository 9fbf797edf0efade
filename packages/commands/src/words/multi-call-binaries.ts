import { baseName } from "./names.ts";

const MANY_IN_ONE = /^(?:busybox|toybox|coreutils|rustup|.*-shim|volta|mise|asdf)$/;

/**
 * Returns whether a program depends on its name, such as `busybox`.
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
