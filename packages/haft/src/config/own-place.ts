import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { dirname } from "node:path";

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
/** Bytes. A configuration is a page or two, and one that is code perhaps a bundle. */
const LARGEST = 1024 * 1024;

/** What a file held, or why it is not read: the end of a sentence that starts with its path. */
export type OwnText = { text: string } | { why: string };

/**
 * Reads a file that nobody but this user and root could have put there, or changed, and that is no link. Rights by access
 * lists show in the bits of the group, so they count as well. `undefined` where there is none.
 *
 * @param path absolute, in a folder that is named without links
 * @param largest bytes
 */
export function readOwnFile(path: string, largest = LARGEST): OwnText | undefined {
  let file: number;
  try {
    // A pipe must not make us wait, and a link not lead elsewhere.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (thrown) {
    const { code = "", message } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    return { why: REASONS[code] ?? `cannot be read: ${message}` };
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) return { why: "is no file" };
    const why = whyForeign(found) ?? whyForeignFolder(dirname(path));
    if (why !== undefined) return { why };
    if (found.size > largest)
      return { why: `has ${found.size} bytes, and a configuration at most ${largest}` };
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file)) };
  } catch (thrown) {
    if (thrown instanceof TypeError) return { why: "is not UTF-8" };
    throw thrown;
  } finally {
    closeSync(file);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ELOOP: "is a link, which can lead anywhere",
  EMLINK: "is a link, which can lead anywhere",
  EACCES: "cannot be read by this user",
  ENXIO: "is no file",
};

/** Why somebody else could put a file into this folder, or another folder in its place; `undefined` where nobody can. */
function whyForeignFolder(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const found = lstatSync(at);
    const isAbove = at !== folder && (found.mode & STICKY) !== 0;
    // In a folder like /tmp nobody touches what is not theirs.
    const why = isAbove ? whyOwnedElsewhere(found) : whyForeign(found);
    if (why !== undefined) return `lies in ${at}, which ${why}`;
    if (dirname(at) === at) return undefined;
  }
}

function whyForeign(found: Stats): string | undefined {
  const owner = whyOwnedElsewhere(found);
  if (owner !== undefined || (found.mode & OTHERS_WRITE) === 0) return owner;
  return "others may write to (chmod go-w takes that away)";
}

function whyOwnedElsewhere({ uid }: Stats): string | undefined {
  const own = process.getuid?.();
  return own === undefined || uid === own || uid === 0 ? undefined : `belongs to user ${uid}`;
}
