import {
  attempt,
  findHostProgram,
  type HostProgram,
  isWithin,
  makePrivateFolder,
  readRegularFile,
} from "@haft/system";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { tryStatEntry } from "../../mounts/stats.ts";
import { listAbandonedFolders, ownedFolderPath } from "../files/owned-folders.ts";
import { applyIndexChanges, readIndexFile } from "../git-index/change-index.ts";
import { type IndexEntry, hasOutsidePath, readObjectId, readIndex } from "../git-index/read-index.ts";
import {
  findWorkingTree,
  getHashLength,
  nameInIndex,
  pathInTree,
  type WorkingTree,
} from "../git-index/working-tree.ts";
import { checkOutEntries } from "./check-out-entries.ts";
import { writeExcludes } from "./exclude-hidden.ts";

/** Real absolute paths. */
export interface ReplacedPath {
  path: string;
  from: string;
}

export interface TrackedSecrets {
  hidden: readonly string[];
  /** Commands see these as git has them, without the user's changes. */
  replaced: readonly ReplacedPath[];
  excludes: string | undefined;
  close(): void;
}

export interface TrackedSecretsOptions {
  hidden: readonly string[];
  roots: readonly string[];
  gitFolders: readonly string[];
  folder: string;
}

const MOST = 500;
const LARGEST = 16 * 1024 * 1024;
const REGULAR = 0o100000;
const TYPE = 0o170000;

/** Commands see tracked hidden files as git has them: the history shows them anyway, and a commit would include an empty replacement. */
export async function findTrackedSecrets(options: TrackedSecretsOptions): Promise<TrackedSecrets> {
  const { hidden, roots, gitFolders, folder } = options;
  makePrivateFolder(folder);
  for (const left of listAbandonedFolders(folder)) rmSync(left, { recursive: true, force: true });
  const privateFolder = ownedFolderPath(folder);
  const git = findHostProgram("git").program;
  const result = { hidden: [] as string[], replaced: [] as ReplacedPath[] };
  for (const [at, path] of hidden.entries()) {
    const tree = git === undefined ? undefined : findWorkingTree(path, gitFolders);
    const copy =
      tree && (await copyOf(path, tree, git!, join(privateFolder, String(at))).catch(() => undefined));
    if (copy !== undefined && isSameFile(path, copy)) continue;
    result.hidden.push(path);
    if (copy !== undefined) result.replaced.push({ path, from: copy });
  }
  const hiddenInGit = result.hidden.filter((path) => gitFolders.some((one) => isWithin(path, one)));
  const excludes = hiddenInGit.length === 0 ? undefined : join(privateFolder, "excludes");
  if (excludes !== undefined) {
    makePrivateFolder(privateFolder);
    await writeExcludes(excludes, { hidden: hiddenInGit, roots, gitFolders });
  }
  return { ...result, excludes, close: () => rmSync(privateFolder, { recursive: true, force: true }) };
}

async function copyOf(
  path: string,
  tree: WorkingTree,
  git: HostProgram,
  folder: string,
): Promise<string | undefined> {
  const name = nameInIndex(tree.top, path);
  const index = readIndexFile(tree.gitFolder);
  const hash = getHashLength(tree.common);
  const read = index && readIndex(index, hash);
  if (index === undefined || read === undefined || hasOutsidePath(index, hash) === true) return undefined;
  const isWanted = (entry: IndexEntry): boolean =>
    (entry.name === name || entry.name.startsWith(`${name}/`)) &&
    entry.stage === 0 &&
    !entry.intentToAdd &&
    (entry.mode & TYPE) === REGULAR;
  const wanted = read.entries.filter(isWanted);
  if (wanted.length === 0 || wanted.length > MOST) return undefined;
  makePrivateFolder(folder);
  const entries = new Map(wanted.map((entry) => [entry.name, readObjectId(index, entry)]));
  // The flag may be Haft's.
  const shown = applyIndexChanges(index, hash, (entry) => (entry.skipWorktree ? "do not skip" : undefined));
  const bytes = typeof shown === "string" ? index : shown;
  const files = await checkOutEntries({ git, tree, index: bytes, hash, entries, folder });
  const copy = files && pathInTree(files, name);
  const isSameKind = copy !== undefined && kindOf(copy) === kindOf(path);
  return isSameKind ? copy : undefined;
}

function kindOf(path: string): string {
  const stats = tryStatEntry(path);
  return stats?.isFile() === true ? "file" : stats?.isDirectory() === true ? "folder" : "other";
}

function isSameFile(path: string, copy: string): boolean {
  if (kindOf(path) !== "file") return false;
  const [one, other] = [path, copy].map((file) =>
    attempt(() => readRegularFile(file, { maxBytes: LARGEST })),
  );
  return one !== undefined && other !== undefined && one.equals(other);
}
