import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join, resolve } from "node:path";
import { attempt } from "../system/attempt.ts";

/** Longer files are not what a person wrote; the rest of them is not read. */
const MOST_BYTES = 1024 * 1024;

/** Text of a regular file; empty where there is none. As git does it in a work tree, no link is followed unless told. */
export function readLines(path: string, { follow = false } = {}): string {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (follow ? 0 : constants.O_NOFOLLOW);
  const fd = attempt(() => openSync(path, flags));
  if (fd === undefined) return "";
  try {
    if (!fstatSync(fd).isFile()) return "";
    const bytes = Buffer.allocUnsafe(Math.min(fstatSync(fd).size, MOST_BYTES));
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return "";
  } finally {
    closeSync(fd);
  }
}

/** Where what all work trees of a repository share is: its `.git`, or what the file of that name leads to. */
export function commonGitFolder(workTree: string): string {
  const git = join(workTree, ".git");
  const [, named] = /^gitdir: (.+?)\r?\n?$/.exec(readLines(git)) ?? [];
  if (named === undefined) return git;
  const own = resolve(workTree, named);
  const common = readLines(join(own, "commondir")).trim();
  return common === "" ? own : resolve(own, common);
}
