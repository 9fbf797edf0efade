import { baseName, isInSystemFolder } from "../names.ts";

/**
 * Programs of the system that start no other one and write no file that their arguments name, but for arguments that
 * are known and looked at. Git is among them for what it is used for: it starts what its own settings say, which are out
 * of reach of file tools, and nothing that a folder pretends to be a repository for.
 */
const HARMLESS = new Set(
  (
    "arch b2sum base32 base64 basename cat cksum cmp comm cut date df diff dirname du echo expand expr factor false fd " +
    "fdfind find fmt fold free git grep groups head hostid id join jq ls md5sum nl nproc od paste pathchk pgrep " +
    "pinky pr printenv printf ps pwd readlink realpath rev rg seq sha1sum sha224sum sha256sum sha384sum sha512sum sleep stat " +
    "sum tac tail test tr true tsort tty uname unexpand uptime users wc whoami ["
  ).split(" "),
);

/** Whether the file at this real path is known to start nothing else, so that it can be trusted whatever its arguments. */
export function isKnownHarmless(realPath: string): boolean {
  return isInSystemFolder(realPath) && HARMLESS.has(baseName(realPath));
}
