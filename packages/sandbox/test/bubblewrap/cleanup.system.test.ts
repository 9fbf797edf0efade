import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { conditions } from "../../../../test/support/build-under-test.ts";
import { signalRunners } from "../../../../test/support/end-runner.ts";
import { pickShare } from "../../../../test/support/share.ts";
import type { SandboxRef } from "../../src/backend.ts";
import { createBubblewrapBackend, openSandbox } from "../../src/index.ts";
import { specFor } from "../spec-for.ts";
import { eventually, processesWith, tempFolder } from "../support.ts";
import {
  createTestBackend,
  openTestSandbox,
  createWorkspaceFolder,
  grouped,
  findControlGroups,
  testInSandbox,
} from "./support.ts";

const HOST = fileURLToPath(new URL("host-program.ts", import.meta.url));

const openFiles = (): string[] => readdirSync("/proc/self/fd");
/** Others mount, too: only what names a folder of the test counts. */
const mountsOf = (folder: string): string[] =>
  readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .filter((line) => line.includes(folder));
const MARK = (): string => `haft-left-${Math.random().toString(36).slice(2)}`;

testInSandbox("ends everything inside on close, which may be repeated", async () => {
  const mark = MARK();
  const { connection, run } = await openTestSandbox(specFor(createWorkspaceFolder()));
  await run(
    `setsid sh -c 'trap "" TERM HUP; sleep 987 # ${mark}' >/dev/null 2>&1 & env -i sh -c 'sleep 986; : ${mark}' >/dev/null 2>&1 & sleep 0.1`,
  );
  expect(processesWith(mark).length).toBeGreaterThan(0);
  await connection.close();
  await connection.close();
  expect(processesWith(mark)).toEqual([]);
  expect(findControlGroups(connection)).toEqual([]);
  expect(await connection.ended).toMatchObject({ why: "it was closed" });
});

testInSandbox("kills a runner that does not end", async () => {
  const runner = async () => ({ source: "process.stdout.write('x'); setInterval(() => {}, 1000)" });
  const connection = await createTestBackend({ runner }).open(specFor(createWorkspaceFolder()));
  await connection.close();
  expect(findControlGroups(connection)).toEqual([]);
});

testInSandbox("reports how the sandbox ended if its runner is killed", async () => {
  const { connection, run } = await openTestSandbox(specFor(createWorkspaceFolder()));
  await run("true");
  signalRunners("SIGKILL");
  expect(await connection.ended).toMatchObject({ exitCode: 137 });
  expect((await connection.ended).oom).toBeUndefined();
  expect(connection.stream.destroyed).toBe(true);
  expect(findControlGroups(connection)).toEqual([]);
});

testInSandbox(
  "gives up a halted runner after five seconds and opens a new sandbox for the next call",
  async () => {
    const sandbox = await openSandbox(createBubblewrapBackend(), specFor(createWorkspaceFolder()));
    onTestFinished(() => sandbox.close());
    await sandbox.fs.stat(".");
    signalRunners("SIGSTOP");
    await expect(sandbox.fs.stat(".")).rejects.toMatchObject({
      code: "SANDBOX_LOST",
      message: expect.stringContaining("silent for 5000 ms"),
    });
    expect(await sandbox.fs.stat(".")).toMatchObject({ type: "directory" });
  },
);

testInSandbox("ends everything inside if bubblewrap is killed", async () => {
  const mark = MARK();
  const backend = createTestBackend();
  const { connection, run } = await openTestSandbox(specFor(createWorkspaceFolder()), backend);
  await run(`setsid sh -c 'sleep 987; : ${mark}' >/dev/null 2>&1 &`);
  expect(await backend.destroy(connection.ref)).toBe(true);
  expect(processesWith(mark)).toEqual([]);
  expect((await connection.ended).why).toContain("SIGKILL");
  expect(await backend.destroy(connection.ref)).toBe(false);
  expect(await backend.list()).toEqual([]);
});

testInSandbox("leaves no process and no control group after SIGKILL of the host", async () => {
  const mark = MARK();
  const stateFolder = join(tempFolder("state"), "sandboxes");
  const program = spawn(process.execPath, [...conditions, HOST, stateFolder, createWorkspaceFolder(), mark], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(program.stdout, "data")) as [Buffer];
  const ref = JSON.parse(line.toString()) as SandboxRef;
  expect(await eventually(() => processesWith(mark).length > 1)).toBe(true);
  const backend = createTestBackend({ stateFolder });
  // Another program of this user sees it as long as it lives.
  expect(await backend.list()).toEqual([ref]);
  program.kill("SIGKILL");
  await once(program, "exit");
  expect(await eventually(() => processesWith(mark).length === 0)).toBe(true);
  if (grouped) expect(findControlGroups({ ref })).not.toEqual([]);
  expect(await eventually(async () => (await backend.list()).length === 0)).toBe(true);
  expect(findControlGroups({ ref })).toEqual([]);
  expect(readdirSync(stateFolder)).toEqual([]);
});

testInSandbox("lets another program end a sandbox", async () => {
  const stateFolder = join(tempFolder("state"), "sandboxes");
  const { connection } = await openTestSandbox(
    specFor(createWorkspaceFolder()),
    createTestBackend({ stateFolder }),
  );
  const other = createTestBackend({ stateFolder });
  const [ref] = await other.list();
  expect(await other.destroy(ref!)).toBe(true);
  expect((await connection.ended).why).toContain("SIGKILL");
});

testInSandbox("leaves no process, mount, group, record or open file after eight sandboxes", async () => {
  const stateFolder = join(tempFolder("state"), "sandboxes");
  const backend = createTestBackend({ stateFolder });
  const workspace = createWorkspaceFolder();
  const spec = specFor(workspace);
  await (await backend.open(spec)).close();
  const before = openFiles();
  const refs: SandboxRef[] = [];
  for (let round = 0; round < 2; round++) {
    const four = await Promise.all([1, 2, 3, 4].map(() => backend.open(spec)));
    refs.push(...four.map(({ ref }) => ref));
    await Promise.all(four.map((one) => one.close()));
  }
  expect(new Set(refs.map(({ id }) => id)).size).toBe(8);
  expect(findControlGroups(...refs.map((ref) => ({ ref })))).toEqual([]);
  expect([...mountsOf(workspace), ...mountsOf(stateFolder)]).toEqual([]);
  expect(readdirSync(stateFolder)).toEqual([]);
  expect(await eventually(() => openFiles().length <= before.length)).toBe(true);
  expect(existsSync(`/proc/${process.pid}`)).toBe(true);
});

testInSandbox("ends if its stream is destroyed, and can still be closed", async () => {
  const { connection } = await openTestSandbox(specFor(createWorkspaceFolder()));
  connection.stream.destroy();
  await connection.ended;
  await connection.close();
  expect(findControlGroups(connection)).toEqual([]);
});

testInSandbox("neither lists nor cleans up a sandbox that is starting", async () => {
  const stateFolder = join(tempFolder("state"), "sandboxes");
  const workspace = createWorkspaceFolder();
  const setup = "touch /workspace/began; until [ -e /workspace/go ]; do sleep 0.02; done";
  const opening = createTestBackend({ stateFolder }).open(specFor(workspace, { setup }));
  expect(await eventually(() => existsSync(join(workspace, "began")))).toBe(true);
  const other = createTestBackend({ stateFolder });
  expect(await other.list()).toEqual([]);
  writeFileSync(join(workspace, "go"), "");
  const connection = await opening;
  expect(await other.list()).toEqual([connection.ref]);
  if (grouped) expect(findControlGroups(connection)).not.toEqual([]);
  await connection.close();
});

testInSandbox("leaves no remains if the start is cancelled at any moment", async () => {
  const stateFolder = join(tempFolder("state"), "sandboxes");
  const backend = createTestBackend({ stateFolder });
  const spec = specFor(createWorkspaceFolder());
  // Other test files have sandboxes of their own meanwhile: only those with a record here count.
  const ids = new Set<string>();
  mkdirSync(stateFolder, { mode: 0o700 });
  const watcher = watch(stateFolder, (_, name) => void ids.add(String(name).replace(/\.json.*$/, "")));
  onTestFinished(() => watcher.close());
  const moments = pickShare(
    Array.from({ length: 20 }, (_, at) => at * 3),
    5,
  );
  for (const ms of moments) {
    const controller = new AbortController();
    const opening = backend.open(spec, controller.signal);
    setTimeout(() => controller.abort(), ms);
    await opening.then(
      (connection) => connection.close(),
      (thrown: unknown) => expect(thrown).toMatchObject({ code: "ABORTED" }),
    );
  }
  expect(await eventually(() => ids.size > 0)).toBe(true);
  expect(processesWith(...[...ids].map((id) => `HAFT_SANDBOX=${id}`))).toEqual([]);
  expect(readdirSync(stateFolder)).toEqual([]);
});

testInSandbox("cleans up after a host that was killed during a start", async () => {
  const stateFolder = join(tempFolder("state"), "sandboxes");
  const backend = createTestBackend({ stateFolder });
  for (const ms of pickShare([0, 3, 6, 9, 12, 15, 18, 21], 4)) {
    const program = spawn(
      process.execPath,
      [...conditions, HOST, stateFolder, createWorkspaceFolder(), MARK(), String(ms)],
      { stdio: ["ignore", "ignore", "inherit"] },
    );
    await once(program, "exit");
    expect(program.signalCode).toBe("SIGKILL");
  }
  const ids = readdirSync(stateFolder).map((name) => name.replace(".json", ""));
  expect(await eventually(async () => (await backend.list()).length === 0)).toBe(true);
  expect(processesWith(...ids.map((id) => `HAFT_SANDBOX=${id}`))).toEqual([]);
  expect(findControlGroups(...ids.map((id) => ({ ref: { id } as SandboxRef })))).toEqual([]);
});
