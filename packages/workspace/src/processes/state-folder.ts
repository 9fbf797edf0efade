import {
  attempt,
  makePrivateFolder,
  getOwnerStatus,
  type Owner,
  type ProcessIdentity,
  getCurrentOwner,
  findProcess,
  readRegularFile,
} from "@haft/system";
import { makeFolder } from "@haft/utils";
import { mkdirSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PID_LIST } from "../run/process-spawner.ts";
import { killTree } from "../run/process-tree.ts";
import { findLeftoverGroups, removeGroup } from "./session-group.ts";

export interface RunnerRun {
  runId: string;
  folder: string;
}

const OWNER_FILE = "owner";
const CACHE = ".compiled";
const LARGEST_PID_LIST = 64 * 1024 * 1024;
/** Applies to runs without a known owner, and to output of interrupted commands. */
const KEEP_MS = 3 * 24 * 60 * 60 * 1000;

export function defaultProcessFolder(): string {
  return join(tmpdir(), `haft-${process.getuid?.() ?? "user"}`);
}

export function openRun(stateFolder: string): RunnerRun {
  makePrivateFolder(stateFolder);
  const runId = Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString("hex");
  const folder = join(realpathSync(stateFolder), runId);
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, OWNER_FILE), JSON.stringify(getCurrentOwner(findProcess)), { mode: 0o600 });
  return { runId, folder };
}

/** The host uses these files to end leftover processes, so commands must not write them. */
export function reserveRecords({ folder }: RunnerRun): string[] {
  writeFileSync(join(folder, PID_LIST), "", { mode: 0o400 });
  return [OWNER_FILE, PID_LIST].map((name) => join(folder, name));
}

/** The cache cuts the start of the runner to a third. It is as private as runs. */
export function getCompileCacheFolder(stateFolder: string): string {
  return join(realpathSync(stateFolder), CACHE);
}

/** A view that opened without the folder could not mount it later. */
export function ensureCompileCacheFolder(stateFolder: string): string {
  const folder = getCompileCacheFolder(stateFolder);
  makeFolder(folder, 0o700);
  return folder;
}

export async function cleanUp(stateFolder: string): Promise<void> {
  const root = realpathSync(stateFolder);
  for (const runId of readdirSync(root)) {
    if (runId === CACHE) continue;
    const run = { runId, folder: join(root, runId) };
    const owner = ownerOf(run);
    const fate = owner === undefined ? "unknown" : getOwnerStatus(owner, findProcess);
    if (fate === "unknown") removeWhenOld(run);
    else if (fate === "gone") await endRun(run);
  }
}

export async function endRun(run: RunnerRun): Promise<void> {
  const { runId, folder } = run;
  const controlGroups = findLeftoverGroups(run);
  const leaders = firstProcesses(run);
  await killTree({ leaders, owns: (mark) => mark.startsWith(`${runId}-`), folder, controlGroups });
  await Promise.all(controlGroups.map(removeGroup));
  const spooled = readdirSync(folder).some((name) => name.endsWith(".output"));
  if (spooled) removeWhenOld(run);
  else removeRun(run);
}

export function removeRun({ folder }: RunnerRun): void {
  rmSync(folder, { recursive: true, force: true });
}

function removeWhenOld(run: RunnerRun): void {
  if (Date.now() - statSync(run.folder).mtimeMs > KEEP_MS) removeRun(run);
}

function ownerOf({ folder }: RunnerRun): Owner | undefined {
  const read = (): unknown => JSON.parse(readRegularFile(join(folder, OWNER_FILE)).toString("utf8"));
  return (attempt(read) as Owner | null) ?? undefined;
}

function firstProcesses({ folder }: RunnerRun): ProcessIdentity[] {
  const list = attempt(() => readRegularFile(join(folder, PID_LIST), { maxBytes: LARGEST_PID_LIST }));
  const text = list?.toString("utf8") ?? "";
  // Skips incomplete lines: a 0 would name the group of init, and thus all processes.
  return Array.from(text.matchAll(/^(\d+) (\d+)$/gm), ([, pid, started]) => ({
    pid: Number(pid),
    started: Number(started),
  }));
}
