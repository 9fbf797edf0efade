import { attempt, findHostProgram } from "@haft/system";
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { conditions, runnerFile } from "../../../../../test/support/build-under-test.ts";
import { ControlGroup } from "../../../src/run/groups/control-group.ts";
import { RUNNER_FLAGS, RUNNER_TITLE } from "../../../src/run/runner-options.ts";
import { RunnerChannel } from "../../../src/wire/channel.ts";
import { createRunnerClient, type RunnerClient } from "../../../src/wire/process-client.ts";
import { commandLine, folder, findProcesses, uniqueSleep, until } from "../../processes/support.ts";
import { cannotRun } from "../../support.ts";

const CGROUPS = "/sys/fs/cgroup";
/** The first of each that takes a group is where one of that version can be made. */
const VERSIONS = {
  "version 1": [join(CGROUPS, "pids")],
  "version 2": [join(CGROUPS, "unified"), CGROUPS],
};
/**
 * Gives up its parents, group, session, variables and files, and is somebody else every few milliseconds; 2,000 times, so that
 * nothing is left of it for long, whatever becomes of the test.
 */
const HOP = `exec 9>&-; echo "$1" >"$0.count"
[ "$1" -gt 2000 ] || setsid env -i PATH="$PATH" sh "$0" $(($1 + 1)) </dev/null >/dev/null 2>&1 &`;

/** A group that all of can be ended, as a session's is; gone after the test. */
function groupIn(folders: readonly string[]): ControlGroup | undefined {
  for (const folder of folders) {
    const group = new ControlGroup(join(folder, `haft-test-${uniqueSleep()}`));
    try {
      mkdirSync(group.folder);
    } catch {
      continue;
    }
    onTestFinished(() => until("its group is gone", () => group.remove()));
    if (group.canBeEnded) return group;
  }
  return undefined;
}

/** A runner that has entered this group; gone after the test, and before the group. */
function runnerIn(group: ControlGroup, spareShell = true): { client: RunnerClient; ended: () => boolean } {
  const programs = Object.fromEntries(["mkfifo", "sh"].map((name) => [name, findHostProgram(name)]));
  const options = {
    runId: "00c0ffee",
    folder: folder(),
    maxRunning: 16,
    spareShell,
    listPids: false,
    alone: false,
    contained: false,
    programs,
    controlGroup: group.folder,
  };
  const node = [process.execPath, ...conditions, ...RUNNER_FLAGS, runnerFile];
  const enter = ["-c", 'echo $$ >"$0"; exec "$@"', join(group.folder, "cgroup.procs")];
  const child = spawn("sh", [...enter, ...node, JSON.stringify(options)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = (): boolean => child.exitCode !== null || child.signalCode !== null;
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await until("the runner is gone", ended);
    await until("and what it left", () => {
      group.stop();
      for (const pid of group.members()) process.kill(pid, "SIGKILL");
      return group.members().length === 0;
    });
  });
  const channel = new RunnerChannel({ input: child.stdin, output: child.stdout, onLost: () => {} });
  return { client: createRunnerClient(channel), ended };
}

const script = (text: string) => ({
  script: text,
  cwd: "/",
  env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
});
const groupsIn = ({ folder: path }: ControlGroup): string[] =>
  readdirSync(path, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []));

describe.each(Object.entries(VERSIONS))("command groups, %s", (version, folders) => {
  test("end detached processes with their command, even while these start others", async () => {
    const group = groupIn(folders);
    if (group === undefined) return cannotRun(`no control group of ${version} can be made`);
    const { client } = runnerIn(group);
    // The second one in a shell that was waiting.
    for (const name of [uniqueSleep(), uniqueSleep()]) {
      const hop = join(folder(), "hop.sh");
      const hops = (): string => attempt(() => readFileSync(`${hop}.count`, "utf8")) ?? "";
      writeFileSync(hop, HOP);
      const { id } = await client.start(
        name,
        script(`sh ${hop} 1; setsid env -i sleep ${name} 9>&- & sleep 600`),
      );
      await until("it hops", () => Number(hops()) > 5);
      await until("the other one is there", () => findProcesses(`sleep\0${name}`).length === 1);
      const info = await client.kill(id, { graceMs: 0 });
      const last = hops();
      expect(info).toMatchObject({ reason: "killed", ending: { by: "control-group", left: 0 } });
      expect(findProcesses(name)).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(hops()).toBe(last);
    }
  });

  test("contain only the command from its start, and remain until they are empty", async () => {
    const group = groupIn(folders);
    if (group === undefined) return cannotRun(`no control group of ${version} can be made`);
    const { client, ended } = runnerIn(group);
    const readGroup = "read -r line </proc/self/cgroup; cat /proc/self/cgroup; sleep 0.1";
    const started = await Promise.all(["a", "b", "c"].map((id) => client.start(id, script(readGroup))));
    const seen = new Set<string>();
    for (const { id } of started) {
      await client.wait(id);
      const { chunks } = await client.read(id, 0);
      const text = Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
      seen.add(text.split("\n").find((line) => line.includes("haft-test-"))!);
    }
    expect(seen.size).toBe(3);
    const seconds = uniqueSleep();
    const { id } = await client.start("d", script(`setsid sleep ${seconds} >/dev/null 2>&1 &`));
    await client.wait(id);
    await until("it runs", () => findProcesses(`sleep\0${seconds}`).length === 1);
    expect(await client.kill(id)).toMatchObject({ reason: "exit", ending: { by: "control-group", left: 0 } });
    expect(findProcesses(seconds)).toEqual([]);
    await until("only what is to come has groups", async () => {
      await client.wait((await client.start(uniqueSleep(), script("true"))).id);
      return groupsIn(group).length <= 3;
    });
    await client.close(0);
    expect(ended()).toBe(false);
  });

  test("are not used by a runner that was moved, which then ends marked processes", async () => {
    const group = groupIn(folders);
    if (group === undefined) return cannotRun(`no control group of ${version} can be made`);
    const { client } = runnerIn(group, false);
    await client.start("first", script("sleep 600"));
    const [pid] = group.members().filter((one) => commandLine(one).startsWith(RUNNER_TITLE));
    const second = join(group.folder, "2", "cgroup.procs");
    await until("it has moved on", () => readFileSync(second, "utf8") === `${pid}\n`);
    writeFileSync(join(group.folder, "cgroup.procs"), String(pid));
    const seconds = uniqueSleep();
    const next = await client.start("next", script(`sleep ${seconds} & sleep 600`));
    await client.start("after", script("sleep 600"));
    expect(readFileSync(`/proc/${next.pid}/cgroup`, "utf8")).toMatch(/haft-test-[\d.]+$/m);
    await until("it runs", () => findProcesses(`sleep\0${seconds}`).length === 1);
    expect(await client.kill(next.id)).toMatchObject({ ending: { by: "marks", left: 0 } });
    expect(findProcesses(seconds)).toEqual([]);
    const others = (await client.list()).filter(({ id }) => id !== next.id);
    expect(others.map(({ state }) => state)).toEqual(["running", "running"]);
    expect(await client.kill(others[0]!.id)).toMatchObject({ ending: { by: "control-group" } });
  });
});
