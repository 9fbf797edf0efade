import { getErrorMessage } from "@haft/core";

/**
 * Ends a sentence: why a file or folder cannot be used. Codes of the system become words; other errors give their message.
 *
 * @example
 * ```ts run
 * import { readFileSync } from "node:fs";
 * import { systemReason } from "@haft/system";
 * let reason = "";
 * try { readFileSync("no-such-file"); } catch (thrown) { reason = systemReason(thrown); }
 * `Cannot read the policy: ${reason}.`; // => "Cannot read the policy: there is no such file or folder."
 * ```
 */
export function systemReason(thrown: unknown): string {
  const { code } = Object(thrown) as { code?: unknown };
  // Errors of Node begin with the code. Other texts are for people.
  const isWritten = thrown instanceof Error && !thrown.message.startsWith(`${String(code)}:`);
  return (isWritten ? undefined : REASONS[String(code)]) ?? getErrorMessage(thrown);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "the system does not permit it",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "the system allows no file that is so large",
  EISDIR: "it is a folder",
  ELOOP: "it is a link",
  EMFILE: "too many files are open",
  ENOENT: "there is no such file or folder",
  ENFILE: "too many files are open",
  ENOSPC: "the disk is full",
  ENOTDIR: "a file stands where its folder should be",
  ENXIO: "it is no file",
  EPERM: "the system does not permit it",
  EROFS: "it is on a file system that is read-only",
};
