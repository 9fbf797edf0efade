import { IrregularFileError, readRegularFile } from "@haft/system";
import { lstatSync, type Stats } from "node:fs";
import { dirname } from "node:path";

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
/** Bytes. A configuration as code may be a bundle. */
const LARGEST = 1024 * 1024;

/**
 * Contains the text of a file, or the reason why it was not read. `foreign` explains how a user other than this user and root could have
 * starts with the path.
 */
export type OwnedFileText = { text: string; foreign?: string } | { why: string };

/**
 * Reads a file that only this user and root can create or change, and that is not a link. Returns `undefined` if it does not exist.
 *
 * @param path absolute, in a folder without links
 * @param largest bytes
 */
export function readUserFile(path: string, largest?: number): { text: string } | { why: string } | undefined {
  const found = readFileWithOwnership(path, largest);
  return found !== undefined && "text" in found && found.foreign !== undefined
    ? { why: found.foreign }
    : found;
}

/**
 * Accepts any owner. Access lists show in the bits of the group.
 *
 * @param path absolute, in a folder without links
 * @param largest bytes
 */
export function readFileWithOwnership(path: string, largest = LARGEST): OwnedFileText | undefined {
  let foreign: string | undefined;
  let size = 0;
  let content: Buffer;
  try {
    content = readRegularFile(path, {
      maxBytes: largest,
      check(stats) {
        size = stats.size;
        foreign = whyForeign(stats, "is a file that ") ?? explainForeignFolder(dirname(path));
      },
    });
  } catch (thrown) {
    if (thrown instanceof IrregularFileError) return { why: whyIrregular(thrown, size, largest) };
    const { code = "", message } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return { why: code === "EACCES" ? "cannot be read by this user" : `cannot be read: ${message}` };
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    return foreign === undefined ? { text } : { text, foreign };
  } catch {
    return { why: "is not UTF-8" };
  }
}

function whyIrregular({ reason }: IrregularFileError, size: number, largest: number): string {
  if (reason === "link") return "is a link, which can lead anywhere";
  if (reason === "type") return "is no file";
  return `has ${Math.max(size, largest + 1)} bytes, and a configuration at most ${largest}`;
}

/** Explains how another user could put a file into this folder, or replace it; `undefined` if impossible. */
export function explainForeignFolder(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = lstatSync(at);
    const isAbove = at !== folder && (found.mode & STICKY) !== 0;
    // In a folder like /tmp (sticky bit), users cannot change others' files.
    const why = isAbove ? whyOwnedElsewhere(found) : whyForeign(found);
    if (why !== undefined) return `is in ${at}, which ${why}`;
    if (dirname(at) === at) return undefined;
  }
}

function whyForeign(found: Stats, what = ""): string | undefined {
  const owner = whyOwnedElsewhere(found);
  if (owner !== undefined || (found.mode & OTHERS_WRITE) === 0) return owner;
  return `${what}others may write to (chmod go-w removes that right)`;
}

function whyOwnedElsewhere({ uid }: Stats): string | undefined {
  const userId = process.getuid?.();
  return userId === undefined || uid === userId || uid === 0 ? undefined : `belongs to user ${uid}`;
}
