import { findProcess } from "@haft/system";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { stateFolderIn } from "../../../../test/support/compile-cache.ts";
import { cleanUp } from "../../src/processes/state-folder.ts";
import { cannotRun } from "../support.ts";
import {
  folder,
  findProcesses,
  run,
  findRunners,
  session,
  sessionGroups,
  detachedSleepScript,
  uniqueSleep,
  until,
} from "./support.ts";

const HOST = fileURLToPath(new URL("hosts/start-and-wait.ts", import.meta.url));

/** Every way out of sight, and none of them reads a pipe that closes. */
const scripts = (seconds: string): string[] => [
  `exec sleep ${seconds}`,
  `setsid sleep ${seconds} & wait`,
  `(setsid env -i /bin/sleep ${seconds} >/dev/null 2>&1 </dev/null &); sleep ${seconds}`,
  `trap '' TERM HUP; nohup sleep ${seconds} >/dev/null 2>&1 & wait`,
];
const COUNT = 5;

/** Starts a host that starts those, and answers once they run. */
async function hostWith(
  options: { root: string; stateFolder: string; isolation?: string; startedBy?: string },
  seconds: string,
  started = { scripts: scripts(seconds), count: COUNT },
): Promise<{ host: ChildProcess; isolation: string }> {
  const host = spawn(
    process.execPath,
    [...conditions, "--no-warnings", HOST, JSON.stringify(options), ...started.scripts],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(async () => {
    host.kill("SIGKILL");
    await until("the host is gone", () => host.exitCode !== null || host.signalCode !== null);
    await cleanUp(options.stateFolder);
  });
  let printed = "";
  host.stdout.on("data", (bytes: Buffer) => (printed += bytes.toString()));
  await until("its commands run", () => printed.includes("}") && sleeping(seconds).length === started.count);
  return { host, isolation: printed };
}

/** Folders of runs, beside what Node keeps there of the runner's code. */
function runsIn(stateFolder: string): string[] {
  return readdirSync(stateFolder).filter((name) => !name.startsWith("."));
}

/** A `sleep` shows itself under one name only, a shell that runs it under another. */
function sleeping(seconds: string): number[] {
  return findProcesses(`sleep\0${seconds}`);
}

describe("kill -9 of the host", () => {
  test("leaves no process in a namespace", async () => {
    const seconds = uniqueSleep();
    const base = folder();
    const { host, isolation } = await hostWith({ root: base, stateFolder: stateFolderIn(base) }, seconds);
    if (!isolation.includes('"namespace"'))
      return cannotRun("there is no bubblewrap that can make a namespace");
    host.kill("SIGKILL");
    await until("everything is gone", () => findProcesses(seconds).length === 0);
    expect(findProcesses(seconds)).toEqual([]);
  });

  test("leaves no process if a runner detects it", async () => {
    const seconds = uniqueSleep();
    const base = folder();
    const { host } = await hostWith(
      { root: base, stateFolder: stateFolderIn(base), isolation: "group" },
      seconds,
    );
    host.kill("SIGKILL");
    await until("everything is gone", () => findProcesses(seconds).length === 0);
    expect(findProcesses(seconds)).toEqual([]);
  });

  test.each<{ startedBy?: string; isolation?: string }>([{ startedBy: "host" }, { isolation: "group" }])(
    "and its runner: the next host kills the remaining processes, %j",
    async (options) => {
      const seconds = uniqueSleep();
      const base = folder();
      const stateFolder = stateFolderIn(base);
      const { host } = await hostWith({ root: base, stateFolder, ...options }, seconds);
      const runners = findRunners(stateFolder);
      // Stopped first: who dies a moment earlier must not be noticed by the other.
      for (const signal of ["SIGSTOP", "SIGKILL"])
        for (const pid of [...runners, host.pid!]) process.kill(pid, signal);
      await until("the host is gone", () => host.signalCode !== null || host.exitCode !== null);
      expect(sleeping(seconds)).toHaveLength(COUNT);
      const other = session({ stateFolder });
      await run(other.processes, "true");
      await until("the next host has killed them", () => findProcesses(seconds).length === 0);
      await until("and cleaned up", () => runsIn(stateFolder).length === 1);
    },
  );

  test("and its runner: the next host finds unmarked processes by their control group", async () => {
    const seconds = uniqueSleep();
    const base = folder();
    const stateFolder = join(base, "state");
    const options = { root: base, stateFolder, isolation: "group" };
    const { host, isolation } = await hostWith(options, seconds, {
      scripts: [detachedSleepScript(seconds)],
      count: 1,
    });
    if (!isolation.includes('"control-groups"'))
      return cannotRun("no control group can be made for a command");
    const [run] = runsIn(stateFolder);
    expect(sessionGroups(`${run}-1`)).toHaveLength(1);
    const runners = findRunners(stateFolder);
    // Stopped first: who dies a moment earlier must not be noticed by the other.
    for (const signal of ["SIGSTOP", "SIGKILL"])
      for (const pid of [...runners, host.pid!]) process.kill(pid, signal);
    await until("the host is gone", () => host.signalCode !== null);
    expect(sleeping(seconds)).toHaveLength(1);
    await cleanUp(stateFolder);
    await until("it is gone", () => findProcesses(seconds).length === 0);
    await until("so is its control group", () => sessionGroups(`${run}-1`).length === 0);
    expect(runsIn(stateFolder)).toEqual([]);
  });

  test("is not needed: a host that exits ends its commands, and nothing keeps it running", async () => {
    const base = folder();
    const seconds = uniqueSleep();
    const code = `
      import { createHostProcesses, createHostWorkspace } from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)};
      const processes = createHostProcesses({ workspace: createHostWorkspace({ root: ${JSON.stringify(base)} }), stateFolder: ${JSON.stringify(join(base, "state"))} });
      await processes.start("a", { script: "sleep ${seconds}" });`;
    const program = join(base, "host.ts");
    writeFileSync(program, code);
    const host = spawn(process.execPath, [...conditions, "--no-warnings", program], {
      stdio: "inherit",
    });
    onTestFinished(() => void host.kill("SIGKILL"));
    await until("it has ended", () => host.exitCode !== null);
    expect(host.exitCode).toBe(0);
    await until("its command, too", () => findProcesses(seconds).length === 0);
    await cleanUp(join(base, "state"));
    await until("and the next host finds nothing to do", () => runsIn(join(base, "state")).length === 0);
  });
});

describe("the folder of all runs", () => {
  test("is private, and empty after a session", async () => {
    const stateFolder = join(folder(), "state");
    const { processes } = session({ stateFolder });
    await run(processes, { script: "seq 1 100000; (sleep 300 &)" });
    expect(runsIn(stateFolder)).toHaveLength(1);
    await processes.close();
    expect(runsIn(stateFolder)).toEqual([]);
  });

  test("keeps the runs of living hosts, and runs of unknown owners", async () => {
    const stateFolder = stateFolderIn(folder());
    const one = session({ stateFolder });
    const { id } = await one.processes.start("c", { script: "sleep 300" });
    mkdirSync(join(stateFolder, "strange"));
    mkdirSync(join(stateFolder, "elsewhere"));
    writeFileSync(
      join(stateFolder, "elsewhere", "owner"),
      JSON.stringify({ pid: 1, started: 1, space: "another machine" }),
    );
    const two = session({ stateFolder });
    await run(two.processes, "true");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(runsIn(stateFolder)).toEqual(expect.arrayContaining(["strange", "elsewhere"]));
    expect(await one.processes.info(id)).toMatchObject({ state: "running" });
  });

  test("does not lead to a signal to a process with a recycled pid", async () => {
    const base = folder();
    const stateFolder = stateFolderIn(base);
    const seconds = uniqueSleep();
    const innocent = spawn("sleep", [seconds], { detached: true, stdio: "ignore" });
    onTestFinished(() => void innocent.kill("SIGKILL"));
    // A dead host's run whose list names the pid, with the start time of the process that had it before.
    const { processes } = session({ stateFolder });
    await run(processes, "true");
    const owner = JSON.parse(
      readFileSync(join(stateFolder, runsIn(stateFolder)[0]!, "owner"), "utf8"),
    ) as object;
    mkdirSync(join(stateFolder, "deadbeef"));
    writeFileSync(join(stateFolder, "deadbeef", "owner"), JSON.stringify({ ...owner, started: 1 }));
    const { started } = findProcess(innocent.pid!)!;
    writeFileSync(join(stateFolder, "deadbeef", "pids"), `${innocent.pid} ${started - 1}\n`);
    await cleanUp(stateFolder);
    expect(runsIn(stateFolder)).not.toContain("deadbeef");
    expect(findProcess(innocent.pid!)?.started).toBe(started);
  });
});
