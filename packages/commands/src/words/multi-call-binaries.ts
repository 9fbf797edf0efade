import { baseName } from "./names.ts";

/** Names that stand for many programs: which one it is, the name it is started by says. */
const MANY_IN_ONE = /^(?:busybox|toybox|coreutils|rustup|.*-shim|volta|mise|asdf)$/;

/** Whether this program is another one under each of its names. */
export function isMultiCallBinary(path: string): boolean {
  return MANY_IN_ONE.test(baseName(path));
}
