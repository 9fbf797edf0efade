import { HaftError, type Workspace } from "@haft/core";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createCheckedFolders } from "../src/boundary/walk/checked-folders.ts";
import { createKernelFolders } from "../src/boundary/walk/kernel-folders.ts";
import { type HostWorkspaceOptions, openWorkspace } from "../src/files/host-workspace.ts";

export { bytes, catchErrorCode, catchFailure } from "./contract/support.ts";

/** A folder with `ws` (the workspace) and `outside` (what it must not reach) in it; removed after the test. */
export interface Site {
  base: string;
  ws: string;
  outside: string;
  /** Creates a file below {@link base}, with its folders. */
  put(path: string, content?: string): string;
}

export function site(): Site {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-workspace-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const paths = { base, ws: join(base, "ws"), outside: join(base, "outside") };
  mkdirSync(paths.ws);
  mkdirSync(paths.outside);
  return {
    ...paths,
    put(path, content = "") {
      const file = join(base, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
  };
}

/** Every way of holding folders that works here; the semantics are the same, only the firmness differs. */
export const LEVELS = [createKernelFolders(), createCheckedFolders()].filter(
  (folders) => folders !== undefined,
);

export type Level = (typeof LEVELS)[number];

export function open(level: Level, options: HostWorkspaceOptions): Workspace {
  return openWorkspace(options, level);
}

export async function readText(workspace: Workspace, path: string): Promise<string> {
  return new TextDecoder().decode((await workspace.fs.read(path)).bytes);
}

/** The code of a rejection, for `then`. */
export function getErrorCode(thrown: unknown): string {
  if (HaftError.is(thrown)) return thrown.code;
  throw thrown;
}

/** Temporary files that were left behind anywhere below a folder. */
export function leftovers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".haft-"));
}

/** A skip that must not go unnoticed: where everything has to run, it is a failure. */
export function cannotRun(reason: string): void {
  if (process.env["HAFT_REQUIRE_SERVICES"] === "1") throw new Error(`This must run here, but ${reason}.`);
  process.stderr.write(`SKIPPED: ${reason}\n`);
}

/** Text of the access list of a file. */
export const readAcl = (path: string): string =>
  execFileSync("getfacl", ["-cpn", path], { encoding: "utf8" });

/** Are there access lists in the folder of temporary files, and the program that changes them? */
export function hasAccessLists(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "haft-acl-"));
  const { status } = spawnSync("setfacl", ["-m", "u:33:r", folder]);
  rmSync(folder, { recursive: true });
  if (process.platform === "linux" && status !== 0) cannotRun("there is no setfacl, or no access lists here");
  return status === 0;
}
