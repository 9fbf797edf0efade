import { type FileSystem, HaftError, withoutUndefined } from "@haft/plugin-sdk";
import { isAbsent, parentOf } from "../../../paths/locate.ts";
import { contentHash } from "../../text/content-hash.ts";
import { readWhole } from "../../text/read-whole.ts";

export interface Standing {
  /** SHA-256 of its content; empty for one that is too large to be read; `null` for no file. */
  hash: string | null;
  mode?: number;
  version?: string;
  other?: string;
}

export const NOTHING: Standing = { hash: null };

export async function lookAt(
  fs: FileSystem,
  path: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Standing> {
  try {
    const folder = parentOf(path);
    if (folder !== undefined && (await fs.realpath(folder)) !== folder)
      return { hash: null, other: "its folder leads somewhere else now" };
    const stat = await fs.stat(path, { follow: false });
    if (stat === undefined) return NOTHING;
    if (stat.type !== "file") return { hash: null, other: KINDS[stat.type] };
    const { version, mode } = stat;
    if (stat.size > maxBytes) return { hash: "", mode, version };
    const read = await readWhole(fs, path, maxBytes, signal);
    return withoutUndefined({ hash: contentHash(read.bytes), mode, version: read.stat.version });
  } catch (thrown) {
    if (signal?.aborted === true || !HaftError.is(thrown)) throw thrown;
    return isAbsent(thrown) && thrown.code === "FILE_NOT_FOUND"
      ? NOTHING
      : { hash: null, other: `it cannot be looked at: ${thrown.message}` };
  }
}

const KINDS = {
  directory: "a folder stands there now",
  symlink: "a symbolic link stands there now",
  other: "it is no regular file any more",
} as const;
