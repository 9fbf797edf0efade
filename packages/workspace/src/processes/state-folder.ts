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
/** Bytes: a line for each command. */
const LARGEST_PID_LIST = 64 * 1024 * 1024;
/** What a run left that cannot be judged, or output that was cut off, is kept for so long. */
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

/** Existing files that a host reads of a gone run, to end what it left: commands must not write these. */
export function reserveRecords({ folder }: RunnerRun): string[] {
  writeFileSync(join(folder, PID_LIST), "", { mode: 0o400 });
  return [OWNER_FILE, PID_LIST].map((name) => join(folder, name));
}

/** Where Node keeps what it made of the runner's code, which then starts in a third of the time. As private as runs. */
export function getCompileCacheFolder(stateFolder: string): string {
  return join(realpathSync(stateFolder), CACHE);
}

/** The same, which is there: a view opened without it has no place to hold it in, once a runner on the host has made it. */
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

/** Kills everything in its control group, with its marks, or below one of its commands; keeps cut-off output. */
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
  // An empty or torn line names nobody. Read as zeros it would name the group of init, and so everything.
  return Array.from(text.matchAll(/^(\d+) (\d+)$/gm), ([, pid, started]) => ({
    pid: Number(pid),
    started: Number(started),
  }));
}
