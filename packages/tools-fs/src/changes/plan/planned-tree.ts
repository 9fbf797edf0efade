import { type FileStat, type FileSystem, HaftError } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { type DecodedFile, decodeFile, type Encoding } from "../../content/codecs.ts";
import { fileToolError } from "../../errors.ts";
import type { ChangeTarget } from "../../paths/locate.ts";
import { disambiguatePath, findSubstitute } from "../../paths/missing-file.ts";
import { prepareHash } from "../text/content-hash.ts";
import { createConventions, type NewFileConventions } from "../text/conventions.ts";
import { readSnapshotIfExists, readFileSnapshot } from "../text/file-snapshot.ts";
import { applySplices, composeSplices, type Splice } from "../text/splice.ts";
import type { HunkReport } from "./change-report.ts";

export interface PlannedContent {
  bytes: Buffer;
  encoding?: Encoding;
  mode: number | undefined;
  /** File on disk and the differences from it. Undefined for new content. */
  origin: { file: PlannedFile; splices: readonly Splice[] } | undefined;
}

export interface FileBefore {
  bytes: Buffer;
  stat: FileStat;
  /** The path is a symbolic link; `bytes` are its target's. */
  link: boolean;
  decoded?: DecodedFile;
  /** Why a link's target or a large file could not be read. */
  unreadable?: HaftError;
}

export interface PlannedFile {
  readonly target: ChangeTarget;
  readonly before: FileBefore | undefined;
  now: PlannedContent | undefined;
  readonly hunks: HunkReport[];
}

/** Planned files of one transaction. Later steps see earlier results. Only queued targets are accessible. */
export interface PlannedTree {
  /**
   * Returns the planned file at a path; `now` is `undefined` if it does not exist.
   *
   * @param unlink As in the request: a final link means itself.
   */
  file(path: string, unlink?: boolean): Promise<PlannedFile>;
  /** @throws `FILE_NOT_FOUND` with similar files if the plan has no such file */
  existing(path: string): Promise<PlannedFile & { now: PlannedContent }>;
  similarPaths(path: string): Promise<string[]>;
  update(file: PlannedFile, splices: readonly Splice[]): void;
  /** Sets new content. `mode` defaults to the current permissions. `encoding`: the content is text to store in this encoding. */
  put(file: PlannedFile, bytes: Buffer, options?: { mode?: number; encoding?: Encoding }): void;
  remove(file: PlannedFile): void;
  isSameFile(a: PlannedFile, b: PlannedFile): boolean;
  /** Moves content and permissions. @throws `FILE_EXISTS` if the plan has another file at the destination */
  move(from: PlannedFile, to: PlannedFile): void;
  conventions(file: PlannedFile): Promise<NewFileConventions>;
  readonly files: readonly PlannedFile[];
  readonly signal: AbortSignal | undefined;
}

interface PlannedTreeOptions {
  fs: FileSystem;
  targets: readonly ChangeTarget[];
  maxFileBytes: number;
  asBytes?: boolean;
  hashBefore?: boolean;
  signal?: AbortSignal;
}

export function createPlannedTree(options: PlannedTreeOptions): PlannedTree {
  const { fs, targets, maxFileBytes, asBytes = false, hashBefore = false, signal } = options;
  const byPath = new Map(targets.map((target) => [nameOf(target.path, target.unlink), target]));
  const byKey = new Map<string, PlannedFile>();
  const files: PlannedFile[] = [];
  const conventionsOf = createConventions(fs);

  async function load(target: ChangeTarget): Promise<PlannedFile> {
    const known = byKey.get(target.key);
    if (known !== undefined) return known;
    const before = target.link ? await readLink(target) : await readFile(target);
    const file: PlannedFile = { target, before, now: undefined, hunks: [] };
    if (before !== undefined) {
      if (hashBefore) void prepareHash(before.bytes);
      const { text: bytes, encoding } = before.decoded ?? { text: before.bytes };
      const { mode } = before.stat;
      file.now = withoutUndefined({ bytes, encoding, mode, origin: { file, splices: [] } });
    }
    byKey.set(target.key, file);
    files.push(file);
    return file;
  }

  async function readFile(target: ChangeTarget): Promise<FileBefore | undefined> {
    try {
      const found = await readSnapshotIfExists(fs, target.at, maxFileBytes, signal);
      const decoded = asBytes ? undefined : found && decodeFile(found.bytes);
      return found && withoutUndefined({ ...found, link: false, decoded });
    } catch (unreadable) {
      if (!HaftError.is(unreadable) || unreadable.code !== "FILE_TOO_LARGE" || !target.unlink)
        throw unreadable;
      const stat = await fs.stat(target.at);
      return stat && { bytes: Buffer.alloc(0), stat, link: false, unreadable };
    }
  }

  async function readLink(target: ChangeTarget): Promise<FileBefore | undefined> {
    const stat = await fs.stat(target.at, { follow: false });
    if (stat === undefined) return undefined;
    try {
      const found = await readFileSnapshot(fs, target.at, maxFileBytes, signal);
      return { bytes: found.bytes, stat: { ...stat, mode: found.stat.mode }, link: true };
    } catch (unreadable) {
      if (!HaftError.is(unreadable)) throw unreadable;
      return { bytes: Buffer.alloc(0), stat, link: true, unreadable };
    }
  }

  const tree: PlannedTree = {
    files,
    signal,
    async file(path, unlink = false) {
      const target = byPath.get(nameOf(path, unlink));
      if (target === undefined) throw new Error(`${path} is not part of this transaction`);
      return await load(target);
    },
    async existing(path) {
      const file = await tree.file(path);
      if (file.now !== undefined) return file as PlannedFile & { now: PlannedContent };
      throw notFound(path, await findSimilar(fs, path));
    },
    similarPaths: async (path) => (await findSimilar(fs, path)).similar,
    update(file, splices) {
      const { now } = file;
      if (now === undefined || splices.length === 0) return;
      requireContent(file);
      const origin =
        now.origin === undefined
          ? undefined
          : {
              file: now.origin.file,
              splices: composeSplices(
                now.origin.splices,
                splices,
                plannedText(now.origin.file.before).length,
              ),
            };
      file.now = { ...now, bytes: applySplices(now.bytes, splices), origin };
    },
    put(file, bytes, { mode = file.now?.mode, encoding } = {}) {
      requireContent(file);
      file.now = withoutUndefined<PlannedContent>({ bytes, encoding, mode, origin: undefined });
    },
    remove(file) {
      file.now = undefined;
    },
    move(from, to) {
      if (from === to || from.now === undefined) return;
      // A moved link becomes its target, which must be readable.
      if (from.before?.link === true && from.before.unreadable !== undefined) throw from.before.unreadable;
      requireContent(to);
      if (to.now !== undefined && !isSameFile(from, to)) throw destinationExists(from.target, to.target);
      to.now = from.now;
      from.now = undefined;
    },
    isSameFile,
    conventions: (file) => conventionsOf(file.target.real),
  };
  return tree;
}

export function plannedText(before: FileBefore | undefined): Buffer {
  return before?.decoded?.text ?? before?.bytes ?? Buffer.alloc(0);
}

function requireContent({ before }: PlannedFile): void {
  if (before?.unreadable !== undefined && !before.link) throw before.unreadable;
}

const nameOf = (path: string, unlink: boolean): string => `${unlink ? "unlink" : "follow"}\0${path}`;

function isSameFile(a: PlannedFile, b: PlannedFile): boolean {
  if (a.before === undefined || b.before === undefined) return false;
  // Hard links share a version, but are separate files here.
  return a.before.stat.links === 1 && a.before.stat.version === b.before.stat.version;
}

interface Found {
  similar: string[];
  why?: string;
}

async function findSimilar(fs: FileSystem, path: string): Promise<Found> {
  const substitute = await findSubstitute(fs, path);
  if (substitute.kind === "variant") return { similar: [substitute.path] };
  const { suggestions, candidates, why } = (substitute.error.details ?? {}) as {
    suggestions?: string[];
    candidates?: string[];
    why?: string;
  };
  return withoutUndefined({ similar: suggestions ?? candidates ?? [], why });
}

function notFound(path: string, { similar, why }: Found): HaftError {
  const where = why === undefined ? "" : ` (${why})`;
  return fileToolError("FILE_NOT_FOUND", `${path} does not exist${where}. Nothing was changed.`, {
    fix:
      similar.length > 0
        ? `Did you mean ${similar.map((name) => disambiguatePath(path, name)).join(" or ")}?`
        : "Check the path; it is relative to the workspace root.",
    details: { path, suggestions: similar },
    receipt: "none",
  });
}

function destinationExists(from: ChangeTarget, to: ChangeTarget): HaftError {
  const message = `${from.path} cannot be moved to ${to.path}: there is already something at ${to.path}.`;
  const fix = "Choose another destination, or delete the file there first in the same change.";
  return fileToolError("FILE_EXISTS", message, { fix, details: { path: to.path, from: from.path } });
}
