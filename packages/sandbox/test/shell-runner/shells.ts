import { type RunnerConnection, type RunnerSettings, SessionProcesses } from "@haft/workspace/internal/wire";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import type { ContractSite } from "../../../workspace/test/contract/support.ts";
import { ChildStream } from "../../src/launch/launched-process.ts";
import { connectShellRunner, readShellProgram } from "../../src/shell-runner/connect-shell-runner.ts";

/** Every shell the program has to run in. busybox brings its own tools along. */
export const SHELLS = {
  dash: ["dash"],
  "bash --posix": ["bash", "--posix"],
  busybox: ["busybox", "sh"],
} as const satisfies Record<string, readonly string[]>;

export const EACH_SHELL = Object.keys(SHELLS) as (keyof typeof SHELLS)[];

export function hasShell(name: keyof typeof SHELLS): boolean {
  try {
    execFileSync(SHELLS[name][0], [...SHELLS[name].slice(1), "-c", ":"]);
    return true;
  } catch {
    if (process.env["HAFT_REQUIRE_SERVICES"] === "1")
      throw new Error(`This must run here, but ${name} is not installed.`);
    process.stderr.write(`SKIPPED: the shell runner in ${name}, which is not installed\n`);
    return false;
  }
}

export interface ShellSite extends ContractSite {
  root: string;
  runner: RunnerConnection;
  stream: Duplex;
  pid: number;
}

/** The program in that shell, over a pipe. `tools`: shell scripts that stand in for tools of these names. */
export async function openShell(
  name: keyof typeof SHELLS,
  { tools = {}, ...settings }: Pick<RunnerSettings, "silentMs"> & { tools?: Record<string, string> } = {},
): Promise<ShellSite> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "shell-runner-")));
  const root = realpathSync(mkdtempSync(join(base, "ws-")));
  const [program, ...args] = SHELLS[name];
  const toolsFolder = join(base, "own");
  mkdirSync(toolsFolder);
  for (const [tool, script] of Object.entries(tools))
    writeFileSync(join(toolsFolder, tool), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const child = spawn(program, [...args, "-c", readShellProgram()], {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      PATH: `${toolsFolder}:${await pathFor(name, base)}`,
      HOME: "/tmp",
      TMPDIR: base,
      SECRET: "of the host",
    },
  });
  let received = "";
  child.stderr.on("data", (bytes: Buffer) => (received += bytes.toString()));
  const closed = new Promise((resolve) => child.once("close", resolve));
  const stream = new ChildStream(child);
  const mounts = [{ name: "", path: root, access: "rw" as const }];
  const runner = await connectShellRunner(stream, { mounts, ...settings });
  const describe = () => ({
    target: "sandbox" as const,
    cwd: root,
    mounts,
    boundary: "best-effort" as const,
  });
  const processes = new SessionProcesses({
    source: { backend: async () => runner.processes, existing: async () => runner.processes },
    target: "sandbox",
    workspace: { fs: runner.fs, describe },
    base: async () => ({ ...runner.env }),
  });
  return {
    root,
    runner,
    stream,
    pid: child.pid!,
    workspace: { fs: runner.fs, describe, processes },
    close: async () => {
      await runner.close();
      await closed;
      rmSync(base, { recursive: true, force: true });
      if (received !== "") throw new Error(`the shell complained: ${received}`);
    },
  };
}

/** Nothing but busybox for busybox, so that none of its tools is missed. */
async function pathFor(name: string, base: string): Promise<string> {
  if (name !== "busybox") return process.env["PATH"]!;
  const bin = join(base, "bin");
  execFileSync("sh", ["-c", 'mkdir "$1" && busybox --install -s "$1"', "install", bin]);
  return bin;
}
