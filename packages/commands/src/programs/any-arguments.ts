import { isMultiCallBinary } from "../words/multi-call-binaries.ts";
import { baseName, isInSystemFolder, isSystemName } from "../words/names.ts";

/**
 * Programs of the system that, whatever words they get, start no other program and write into no file that a word names.
 * What `rm`, `mkdir` and the like do to the files they are given is what they are listed for.
 */
const ANY_ARGUMENTS = new Set(
  (
    "b2sum basename cat chmod cksum cmp comm cut dirname du echo egrep expr fgrep fold grep head ls md5sum mkdir nl od paste " +
    "readlink realpath rm rmdir sha1sum sha224sum sha256sum sha384sum sha512sum stat sum tac tail touch tr wc"
  ).split(" "),
);

/** Whether it can get words that are not known before it runs. */
export function takesAnyArguments(name: string): boolean {
  return isSystemName(name) && ANY_ARGUMENTS.has(baseName(name));
}

export function acceptsAnyArguments(realPath: string): boolean {
  return isInSystemFolder(realPath) && (ANY_ARGUMENTS.has(baseName(realPath)) || isMultiCallBinary(realPath));
}
