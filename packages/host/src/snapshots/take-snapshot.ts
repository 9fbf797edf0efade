import {
  HaftError,
  type DirectoryEntry,
  ignoreRules,
  type IgnoreRules,
  type InheritedIgnoreRules,
  type Workspace,
} from "@haft/core";
import { sha256 } from "@haft/utils";
import { readlinkSync } from "node:fs";
import { join } from "node:path";
import type { SnapshotStore } from "./snapshot-store.ts";
import { type SkippedEntry, type Snapshot, SNAPSHOT_BOUNDS, type SnapshotBounds } from "./snapshot.ts";

/** Commands need the repository, so it is recorded if it fits completely. */
const GIT = ".git";
const PACKAGES = "node_modules";

interface Taking {
  workspace: Workspace;
  store: SnapshotStore;
  bounds: SnapshotBounds;
  root: string;
  files: Record<string, readonly [string, number, number]>;
  links: Record<string, string>;
  folders: string[];
  leftOut: SkippedEntry[];
  count: number;
  bytes: number;
}

/**
 * Stores the files that file tools may read, without ignored files, plus the repository's `.git`. Entries
 * beyond the limits are only listed. Files with several names need permission of the boundary; each name is
 * stored separately.
 */
export async function takeSnapshot(
  workspace: Workspace,
  runId: string,
  store: SnapshotStore,
  bounds: SnapshotBounds = SNAPSHOT_BOUNDS,
  now = Date.now(),
): Promise<Snapshot> {
  const root = workspace.describe().cwd;
  const taking: Taking = { workspace, store, bounds, root, ...nothing(), count: 0, bytes: 0 };
  const end = store.begin();
  try {
    await takeFolder(taking, "", await ignoreRules(workspace, root));
    await takeGit(taking);
    const { files, links, folders, leftOut } = taking;
    const snapshot: Snapshot = { version: 1, runId, takenAt: now, root, files, links, folders, leftOut };
    store.add(snapshot);
    return snapshot;
  } finally {
    end();
  }
}

/** A file may be called `__proto__`. */
function nothing(): Pick<Taking, "files" | "links" | "folders" | "leftOut"> {
  return {
    files: Object.create(null) as Taking["files"],
    links: Object.create(null) as Taking["links"],
    folders: [],
    leftOut: [],
  };
}

async function takeFolder(
  taking: Taking,
  folder: string,
  above: InheritedIgnoreRules | undefined,
): Promise<void> {
  const entries = await entriesOf(taking, folder);
  if (entries === undefined) return;
  const rules = await above?.within(entries);
  if (entries.length === 0 && folder !== "") taking.folders.push(folder);
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.name === GIT && above !== undefined) continue;
    if (entry.name === PACKAGES) taking.leftOut.push({ path, why: "packages" });
    else if (rules?.ignores(entry.name, entry.type === "directory"))
      taking.leftOut.push({ path, why: "ignored" });
    else if (entry.type === "directory") await takeFolder(taking, path, belowOf(rules, entry.name));
    else if (entry.type === "symlink") takeLink(taking, path);
    else if (entry.type === "file") await takeFile(taking, path);
    else taking.leftOut.push({ path, why: "special" });
  }
}

function belowOf(rules: IgnoreRules | undefined, name: string): InheritedIgnoreRules | undefined {
  return rules?.below(name);
}

async function entriesOf(taking: Taking, folder: string): Promise<DirectoryEntry[] | undefined> {
  const { fs } = taking.workspace;
  try {
    const { entries, truncated } = await fs.list(join(taking.root, folder));
    if (truncated) taking.leftOut.push({ path: folder, why: "bound" });
    return entries;
  } catch (thrown) {
    taking.leftOut.push({ path: folder, why: whyNot(thrown) });
  }
  return undefined;
}

function takeLink({ root, links, leftOut }: Taking, path: string): void {
  try {
    links[path] = readlinkSync(join(root, path));
  } catch {
    leftOut.push({ path, why: "unreadable" });
  }
}

async function takeFile(taking: Taking, path: string): Promise<void> {
  const { workspace, store, bounds, root, files, leftOut } = taking;
  try {
    const stat = await workspace.fs.stat(join(root, path), { follow: false });
    if (stat === undefined) return;
    const isFull = taking.count >= bounds.files || taking.bytes + stat.size > bounds.bytes;
    if (stat.size > bounds.fileBytes || isFull) {
      leftOut.push({ path, why: stat.size > bounds.fileBytes ? "large" : "bound" });
      return;
    }
    const { bytes, stat: read } = await workspace.fs.read(join(root, path), { length: bounds.fileBytes });
    const hash = sha256(bytes);
    store.writeContent(hash, bytes);
    files[path] = [hash, bytes.length, read.mode];
    taking.count++;
    taking.bytes += bytes.length;
  } catch (thrown) {
    leftOut.push({ path, why: whyNot(thrown) });
  }
}

/** A partial repository is broken. */
async function takeGit(taking: Taking): Promise<void> {
  const stat = await taking.workspace.fs
    .stat(join(taking.root, GIT), { follow: false })
    .catch(() => undefined);
  if (stat === undefined) return;
  if (stat.type !== "directory") return void taking.leftOut.push({ path: GIT, why: "special" });
  const git: Taking = { ...taking, ...nothing() };
  await takeFolder(git, GIT, undefined);
  const [missing] = git.leftOut;
  if (missing !== undefined) return void taking.leftOut.push({ path: GIT, why: missing.why });
  Object.assign(taking.files, git.files);
  Object.assign(taking.links, git.links);
  taking.folders.push(...git.folders);
}

function whyNot(thrown: unknown): SkippedEntry["why"] {
  return HaftError.is(thrown) && thrown.category === "policy" ? "closed" : "unreadable";
}
