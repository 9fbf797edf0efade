import { describe, expect, test } from "vitest";
import { ESCAPES } from "../contract/processes.ts";
import { cannotRun, catchErrorCode } from "../support.ts";
import {
  EACH_START_MODE,
  START_MODES,
  commandLine,
  findProcesses,
  readAll,
  run,
  session,
  sessionGroups,
  sharedSessions,
  detachedSleepScript,
  start,
  decodeChunks,
  uniqueSleep,
  until,
} from "./support.ts";

const share = sharedSessions();

/** More ways in which a process gets out of its parent's sight than those that the contract of processes tries. */
const MORE: Record<string, (seconds: string) => string> = {
  "in the background": (s) => `sleep ${s} & wait`,
  nohup: (s) => `nohup sleep ${s} >/dev/null 2>&1 & wait`,
  "forked twice": (s) => `(sleep ${s} >/dev/null 2>&1 &) ; sleep 300`,
  "forked twice, a new session": (s) => `(setsid sleep ${s} >/dev/null 2>&1 &) ; sleep 300`,
  "all of it, and the shell has ended": (s) => `(setsid env -i /bin/sleep ${s} >/dev/null 2>&1 </dev/null &)`,
  stopped: (s) => `sleep ${s} & until grep -q sleep /proc/$!/comm; do sleep 0.05; done; kill -STOP $!; wait`,
};

describe.each(EACH_START_MODE)("the end of a tree, $name", ({ options }) => {
  test.each(Object.entries(MORE))("kills %s", async (_name, escape) => {
    const { processes } = share(options);
    const seconds = uniqueSleep();
    const { id } = await start(processes, escape(seconds));
    await until("it runs", () => findProcesses(`sleep\0${seconds}`).length === 1);
    await processes.kill(id, { graceMs: 100 });
    expect(findProcesses(seconds)).toEqual([]);
    expect((await processes.info(id))!.state).toBe("exited");
  });

  test("ignores a timeout after the end, and accepts a timeout beyond all timers", async () => {
    const { processes } = share(options);
    expect(await run(processes, { script: "echo x", timeoutMs: 60_000 })).toMatchObject({ reason: "exit" });
    expect(await run(processes, { script: "sleep 0.1", timeoutMs: 1e12 })).toMatchObject({ reason: "exit" });
  });

  test("ends all processes with the session", async () => {
    const { processes } = session(options);
    const seconds = uniqueSleep();
    const all = Object.values({ ...ESCAPES, ...MORE });
    for (const escape of all) await start(processes, escape(seconds));
    await until("all of them run", () => findProcesses(`sleep\0${seconds}`).length === all.length);
    await processes.close({ graceMs: 100 });
    expect(findProcesses(seconds)).toEqual([]);
    expect(await catchErrorCode(start(processes, "true"))).toBe("RUNNER_UNAVAILABLE");
  });

  test("shortens the grace time with a second kill", async () => {
    const { processes } = share(options);
    const { id } = await start(processes, "trap 'echo no' TERM; echo ready; while :; do sleep 0.05; done");
    await until("it is ready", async () => decodeChunks(await processes.read(id, 0)).includes("ready"));
    const patient = processes.kill(id, { graceMs: 60_000 });
    await until("it has said no", async () => decodeChunks(await processes.read(id, 0)).includes("no"));
    await processes.kill(id, { graceMs: 0 });
    expect(await patient).toMatchObject({ state: "exited", signal: "SIGKILL" });
  });

  test("keeps the reason of a process that ended before the kill", async () => {
    const { processes } = share(options);
    const { id } = await run(processes, "exit 4");
    expect(await processes.kill(id)).toMatchObject({ reason: "exit", exitCode: 4 });
  });

  test("sends one signal to the tree, or only to the first process", async () => {
    const { processes } = share(options);
    const script =
      "trap 'echo child' USR1; (trap 'echo grandchild' USR1; echo r; while :; do sleep 0.02; done) & echo r; while :; do sleep 0.02; done";
    const { id } = await start(processes, script);
    const linesOf = async (): Promise<string[]> =>
      decodeChunks(await processes.read(id, 0))
        .split("\n")
        .filter(Boolean)
        .toSorted();
    await until("both are ready", async () => (await linesOf()).length === 2);
    expect(await processes.signal(id, "SIGUSR1", { tree: false })).toEqual({ signalled: 1 });
    await until("the first has heard", async () => (await linesOf()).includes("child"));
    expect(await linesOf()).not.toContain("grandchild");
    expect(await catchErrorCode(processes.signal(id, "TERM; rm"))).toBe("INVALID_PROCESS");
    await processes.kill(id, { graceMs: 0 });
    expect(await processes.signal(id, "SIGTERM")).toEqual({ signalled: 0 });
  });
});

describe("children that live on", () => {
  test.each(["sleep 300 &", "(setsid sleep 300 &)", "while :; do echo x; sleep 0.02; done &"])(
    "do not delay the end: %s",
    async (script) => {
      const { processes } = share(START_MODES["runner in a namespace"]);
      // What lives on does so for longer than the test may take.
      expect(await run(processes, `${script}\necho done`)).toMatchObject({ reason: "exit", exitCode: 0 });
    },
  );

  test("can write output, and do not die of SIGPIPE", async () => {
    const { processes } = share(START_MODES["runner in a namespace"]);
    const { id } = await run(processes, "(sleep 0.3; echo late; sleep 0.1; echo later) & echo early");
    expect(decodeChunks(await processes.read(id, 0))).toBe("early\n");
    await until(
      "late output",
      async () => decodeChunks(await processes.read(id, 0)) === "early\nlate\nlater\n",
    );
  });

  test("stay after the release of the process, and end with the session", async () => {
    const { processes } = session();
    const seconds = uniqueSleep();
    const { id } = await run(
      processes,
      `(while :; do echo x || exit; sleep 0.02; done) & sleep ${seconds} & echo`,
    );
    await processes.release(id);
    expect(await processes.info(id)).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(findProcesses(`sleep\0${seconds}`)).toHaveLength(1);
    await processes.close();
    expect(findProcesses(seconds)).toEqual([]);
  });
});

test("limits the tasks of a fork bomb, and ends it after its timeout", async () => {
  const { processes } = session({ maxTasks: 60 });
  await run(processes, "true");
  // Without a group of its own for the session nothing would stop it here.
  if (processes.isolation?.limited !== true) return cannotRun("no control group can be made for a session");
  const seconds = uniqueSleep();
  // A shell that cannot fork ends, so the first one starts nothing after the bomb.
  const script = `bomb() { sleep ${seconds} & (bomb) & (bomb) & wait; }; sleep 300 & (bomb) & wait`;
  const { id } = await start(processes, { script, timeoutMs: 500, killGraceMs: 0 });
  expect(await processes.wait(id)).toMatchObject({ state: "exited" });
  await until("nothing is left", () => findProcesses(seconds).length === 0);
  expect((await run(processes, "echo alive")).text).toBe("alive\n");
  expect((await readAll(processes, id)).stderr.toString()).toMatch(/fork/i);
});

describe("processes without a mark", () => {
  test.each(["namespace", "group"] as const)("end with their control group, %s", async (isolation) => {
    const { processes } = session({ isolation });
    let id = "";
    for (const end of ["killed", "timeout"] as const) {
      const seconds = uniqueSleep();
      const more = end === "timeout" && { timeoutMs: 1_500, pty: { cols: 80, rows: 24 } };
      ({ id } = await start(processes, { script: detachedSleepScript(seconds), killGraceMs: 100, ...more }));
      if (processes.isolation?.ends !== "control-groups")
        return cannotRun("no control group can be made for a command");
      await until("it is there", () => findProcesses(`sleep\0${seconds}`).length === 1);
      const info = end === "timeout" ? await processes.wait(id) : await processes.kill(id);
      expect(findProcesses(seconds)).toEqual([]);
      expect(info).toMatchObject({ reason: end, ending: { by: "control-group", left: 0 } });
      expect(info.unmarked).toBe(isolation === "namespace" ? 0 : undefined);
    }
    expect(sessionGroups(id)).toHaveLength(1);
    await processes.close({ graceMs: 0 });
    expect(sessionGroups(id)).toEqual([]);
  });

  test("stay if only marks are available, are counted if possible, and end with the session", async () => {
    const { processes } = session({ isolation: "namespace", controlGroups: false });
    const all: string[] = [];
    for (const end of ["timeout", "killed"] as const) {
      const seconds = uniqueSleep();
      all.push(seconds);
      const { id } = await start(processes, {
        script: detachedSleepScript(seconds),
        ...(end === "timeout" ? { timeoutMs: 1_500 } : {}),
      });
      await until("it is there", () =>
        findProcesses(seconds).some((pid) => commandLine(pid).startsWith("sleep")),
      );
      const info = end === "timeout" ? await processes.wait(id) : await processes.kill(id, { graceMs: 0 });
      const left = findProcesses(`sleep\0${seconds}`).length;
      expect(info).toMatchObject({ state: "exited", reason: end, ending: { by: "marks", left: 0 } });
      expect(info.unmarked).toBe(end === "timeout" ? 1 : 2);
      expect(left).toBe(1);
    }
    await processes.close({ graceMs: 0 });
    expect(all.flatMap((seconds) => findProcesses(seconds))).toEqual([]);
  });

  test("are not counted for an ordinary command next to other processes", async () => {
    const { processes } = session({ isolation: "namespace" });
    await start(processes, "sleep 600");
    await run(processes, "setsid sleep 600 >/dev/null 2>&1 &");
    const { id } = await start(processes, "sleep 600 & setsid sleep 600");
    expect(await processes.kill(id, { graceMs: 0 })).toMatchObject({ unmarked: 0 });
  });

  test("are not counted if other programs run in the namespace", async () => {
    const { processes } = session({ isolation: "group" });
    const { id } = await start(processes, "sleep 600");
    expect(await processes.kill(id, { graceMs: 0 })).not.toHaveProperty("unmarked");
  });

  test("are awaited after a timeout, not only the first process", async () => {
    const { processes } = session();
    const seconds = uniqueSleep();
    const { id } = await start(processes, {
      script: `(trap "" TERM; sleep ${seconds}; sleep ${seconds}) & echo ready; wait`,
      timeoutMs: 700,
      killGraceMs: 1_000,
    });
    expect(await processes.wait(id)).toMatchObject({ state: "exited", reason: "timeout" });
    expect(findProcesses(seconds)).toEqual([]);
  });
});
