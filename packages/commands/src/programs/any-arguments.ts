import { isMultiCallBinary } from "../words/multi-call-binaries.ts";
import { baseName, isInSystemFolder, isSystemName } from "../words/names.ts";

/** These start no program with any arguments. They write to no named file, except for their purpose, as with `rm`. */
const ANY_ARGUMENTS = new Set(
  (
    "b2sum basename cat chmod cksum cmp comm cut dirname du echo egrep expr fgrep fold grep head ls md5sum mkdir nl od paste " +
    "readlink realpath rm rmdir sha1sum sha224sum sha256sum sha384sum sha512sum stat sum tac tail touch tr wc"
  ).split(" "),
);

export function takesAnyArguments(name: string): boolean {
  return isSystemName(name) && ANY_ARGUMENTS.has(baseName(name));
}

export function acceptsAnyArguments(realPath: string): boolean {
  return isInSystemFolder(realPath) && (ANY_ARGUMENTS.has(baseName(realPath)) || isMultiCallBinary(realPath));
}
