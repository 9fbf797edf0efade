import type { ProcessInfo } from "@haft/core";
import { scanProcesses, findProcess } from "@haft/system";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stateFolderIn } from "../../../../test/support/compile-cache.ts";
import type { HostProcesses } from "../../src/index.ts";
import { createMemoryRecords } from "../../src/processes/process-records.ts";
import { catchErrorCode, catchFailure } from "../support.ts";
import {
  folder,
  findProcesses,
  run,
  findRunners,
  session,
  start,
  decodeChunks,
  uniqueSleep,
  until,
  START_MODES,
} from "./support.ts";

/**
 * Kills the runner of this test's session: the only one whose environment names its state folder. A child it has just
 * forked looks like it until it has become something else.
 */
function killRunner(stateFolder: string): void {
  const alike = findRunners(stateFolder);
  const runners = alike.filter(
    (pid) => !scanProcesses().some((one) => one.pid === pid && alike.includes(one.parent)),
  );
  expect(runners).toHaveLength(1);
  process.kill(runners[0]!, "SIGKILL");
}

async function lose(processes: HostProcesses, stateFolder: string, id: string): Promise<void> {
  killRunner(stateFolder);
  await until("the loss is known", async () => (await processes.info(id))?.state === "lost");
}

describe.each([
  ["namespace", START_MODES["runner in a namespace"]],
  ["group", START_MODES["runner among all processes"]],
] as const)("a runner that dies, %s", (_name, options) => {
  test("loses its processes, and reports each loss", async () => {
    const stateFolder = stateFolderIn(folder());
    const { processes } = session({ ...options, stateFolder });
    const seconds = uniqueSleep();
    const ended = await run(processes, "echo x; exit 3");
    const { id } = await start(processes, `echo hello; (setsid env -i /bin/sleep ${seconds} &) ; sleep 300`);
    await until("it runs", () => findProcesses(`sleep\0${seconds}`).length === 1);
    await lose(processes, stateFolder, id);
    expect(await processes.wait(id)).toMatchObject({ state: "lost", stdin: "closed" });
    expect((await processes.wait(id)).reason).toBeUndefined();
    expect(await processes.read(id, 0, { waitMs: 60_000 })).toMatchObject({ chunks: [], state: "lost" });
    expect(await catchErrorCode(processes.write(id, Buffer.from("x")))).toBe("STDIN_CLOSED");
    expect(await processes.signal(id, "SIGTERM")).toEqual({ signalled: 0 });
    expect(await processes.kill(id)).toMatchObject({ state: "lost" });
    expect(await processes.info(ended.id)).toMatchObject({ state: "exited", exitCode: 3 });
    await until("nothing of it is left", () => findProcesses(seconds).length === 0);
    expect((await processes.list()).map((info) => info.id)).toEqual([ended.id, id]);
    await processes.release(id);
    expect(await processes.info(id)).toBeUndefined();
  });

  test("fails open calls, with an unknown receipt", async () => {
    const stateFolder = stateFolderIn(folder());
    const { processes } = session({ ...options, stateFolder });
    await run(processes, "true");
    const { id } = await start(processes, "sleep 300");
    const waiting = processes.wait(id);
    const reading = processes.read(id, 0, { waitMs: 60_000 });
    killRunner(stateFolder);
    const cut = catchFailure(processes.start("cut", { script: "true" }));
    expect(await waiting).toMatchObject({ state: "lost" });
    expect(await reading).toMatchObject({ state: "lost" });
    const { message } = await cut;
    expect(await cut).toMatchObject({ code: "RUNNER_LOST", receipt: "unknown" });
    // Asked again, it is still not known, for the same reason, and not run a second time.
    expect(await catchFailure(processes.start("cut", { script: "true" }))).toMatchObject({
      code: "RUNNER_LOST",
      message,
    });
  });

  test("is replaced with the next command", async () => {
    const stateFolder = stateFolderIn(folder());
    const { processes } = session({ ...options, stateFolder });
    const { id, callerId } = await start(processes, "sleep 300");
    await lose(processes, stateFolder, id);
    expect((await run(processes, "echo again")).text).toBe("again\n");
    expect(await processes.start(callerId, { script: "echo twice" })).toMatchObject({ id, state: "lost" });
  });
});

describe("records", () => {
  test("tell a restarted host which processes ran, and what is unknown", async () => {
    const records = createMemoryRecords();
    const first = session({ records });
    const ended = await run(first.processes, "exit 7");
    const running = await start(first.processes, "sleep 300");
    await until("the end is written down", async () =>
      (await records.load()).some(({ state }) => state === "exited"),
    );
    const second = session({ records });
    const known = Object.fromEntries((await second.processes.list()).map((info) => [info.id, info]));
    expect(known[ended.id]).toMatchObject({ state: "exited", exitCode: 7, output: { dropped: 0 } });
    expect(known[running.id]).toMatchObject({ state: "lost" });
    expect(await second.processes.wait(running.id)).toMatchObject({ state: "lost" });
    await second.processes.release(ended.id);
    expect((await records.load()).map(({ id }) => id)).toEqual([running.id]);
  });

  test("do not affect commands if the store fails", async () => {
    const failures: unknown[] = [];
    const broken = async (): Promise<never> => {
      throw new Error("disk on fire");
    };
    const { processes } = session({
      records: { load: broken, put: broken, remove: broken },
      onStoreFailed: (thrown) => failures.push(thrown),
    });
    const { id, text } = await run(processes, "echo fine");
    expect(text).toBe("fine\n");
    await processes.release(id);
    expect(failures.length).toBeGreaterThanOrEqual(3);
  });
});

describe("a machine without namespaces", () => {
  test("uses a weaker isolation, and reports the reason", async () => {
    await withBwrap("echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1", async () => {
      const strict = session({ isolation: "namespace" });
      const failure = await catchFailure(start(strict.processes, "true"));
      expect(failure).toMatchObject({ code: "RUNNER_UNAVAILABLE", receipt: "none" });
      expect(failure.message).toContain("uid map: Permission denied");
      const { processes } = session();
      expect((await run(processes, "echo ok")).text).toBe("ok\n");
      expect(processes.isolation).toMatchObject({ kind: "group", startedBy: "runner" });
      expect(processes.isolation?.reason).toContain("uid map: Permission denied");
    });
  });
});

test("retries if a mount of the host ends during the start of bubblewrap", async () => {
  const tried = join(folder(), "tried");
  const errorOutput = `Can't bind mount /oldroot/ on /newroot/: Unable to apply mount flags: remount "/newroot/mnt/x": No such file or directory`;
  const once = `[ -e ${tried} ] || { echo >${tried}; echo "bwrap: ${errorOutput.replaceAll('"', '\\"')}" >&2; exit 1; }`;
  await withBwrap(`${once}\nexec "$(PATH=\${PATH#*:} command -v bwrap)" "$@"`, async () => {
    const { processes } = session({ isolation: "namespace" });
    expect((await run(processes, "echo ok")).text).toBe("ok\n");
  });
});

/** With another program of that name before the machine's own. */
async function withBwrap(script: string, work: () => Promise<void>): Promise<void> {
  const bin = folder();
  writeFileSync(join(bin, "bwrap"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const path = process.env["PATH"];
  process.env["PATH"] = `${bin}:${path}`;
  try {
    await work();
  } finally {
    process.env["PATH"] = path;
  }
}

test("loses nothing if the runner is stopped for a while", async () => {
  const stateFolder = stateFolderIn(folder());
  const { processes } = session({ isolation: "group", stateFolder });
  const { id, pid }: ProcessInfo = await start(
    processes,
    "for i in $(seq 1 2000); do echo line $i; done; sleep 0.2; echo end",
  );
  const runner = findProcess(pid)!.parent;
  process.kill(runner, "SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, 300));
  process.kill(runner, "SIGCONT");
  const info = await processes.wait(id);
  const text = decodeChunks(await processes.read(id, 0, { max: 1 << 20 }));
  expect(text.split("\n")).toHaveLength(2002);
  expect(info).toMatchObject({ exitCode: 0, output: { dropped: 0 } });
});
