import type { BuiltInBackend } from "@haft/config/internal/settings";
import type { Processes } from "@haft/core";
import { loadSandboxBackend } from "@haft/host/internal/sandbox";
import { openSandbox, type SandboxBackend, type SandboxSpec, type SandboxWorkspace } from "@haft/sandbox";
import { createHost } from "haft";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Case, Subject, Suite } from "../suite.ts";
import { createCliExec, createEngineExec, type DockerExec } from "../work/docker-exec.ts";

const KILOBYTE = Buffer.alloc(1024, "k");
const SESSIONS = 100;
/** Shorter than a model's pause. */
const PAUSE_MS = 100;

const spec = (key: string): SandboxSpec => ({
  key: `bench-${key}-${process.pid}`,
  scope: "session",
  workspace: "none",
  mounts: [],
  env: {},
  network: "none",
  limits: { memoryMb: 1024, tasks: 512, cpus: 0, fileMb: 1024, tmpMb: 256 },
  lifetime: "tethered",
});

async function opened(name: BuiltInBackend): Promise<SandboxWorkspace> {
  const sandbox = await openSandbox(await loadSandboxBackend(name), spec(name));
  await sandbox.fs.write("file", KILOBYTE);
  return sandbox;
}

/** An operation of the same sandbox. */
const inside =
  (name: BuiltInBackend, operation: (sandbox: Awaited<ReturnType<typeof opened>>) => Promise<unknown>) =>
  async (): Promise<Subject> => {
    const sandbox = await opened(name);
    return { run: () => operation(sandbox), close: () => sandbox.close() };
  };

/** One `docker exec` per operation, in an equal container. */
const byDocker =
  (make: (container: string) => DockerExec, operation: (exec: DockerExec) => Promise<unknown>) =>
  async (): Promise<Subject> => {
    const sandbox = await opened("docker");
    const exec = make(sandbox.ref.id);
    return { runs: 10, run: () => operation(exec), close: () => sandbox.close() };
  };

let started = 0;
/** From call to exit code; later forgotten in the background, as by exec. */
async function runTrue({ processes }: { processes: Processes }): Promise<void> {
  const { id, exitCode } = await processes.start(
    `bench ${++started}`,
    { script: "true" },
    { waitMs: 10_000 },
  );
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}`);
  void processes.release(id);
}

const read: (exec: DockerExec) => Promise<unknown> = (exec) => exec.run(["cat", "/workspace/file"]);
const write: (exec: DockerExec) => Promise<unknown> = (exec) =>
  exec.run(["sh", "-c", "cat > /workspace/new && mv /workspace/new /workspace/file"], KILOBYTE);
const runTrueByDocker: (exec: DockerExec) => Promise<unknown> = (exec) => exec.run(["sh", "-c", "true"]);

/** Like an agent: a pause before each command prepares the next. */
const nowAndThen = (start: () => Promise<Subject>) => async (): Promise<Subject> => ({
  ...(await start()),
  runs: 10,
  before: () => sleep(PAUSE_MS),
});

/** The 95th percentile of reads during a flood. */
const whileFlooded = (name: BuiltInBackend) => async (): Promise<Subject> => {
  const sandbox = await opened(name);
  return {
    async sample() {
      const { id } = await sandbox.processes.start(`flood ${++started}`, { script: "yes" });
      const times: number[] = [];
      for (let i = 0; i < 100; i++) {
        const before = performance.now();
        await sandbox.fs.read("file");
        times.push((performance.now() - before) * 1e6);
        await sandbox.processes.read(id, 0, { max: 64 * 1024 });
      }
      await sandbox.processes.kill(id, { graceMs: 0 });
      await sandbox.processes.release(id);
      const sorted = times.toSorted((a, b) => a - b);
      return { p50: sorted[49]!, p95: sorted[94]! };
    },
    close: () => sandbox.close(),
  };
};

/** From nothing to a sandboxed tool's first answer. */
const coldStart = (name: BuiltInBackend) => (): Subject => {
  const workspaceDir = mkdtempSync(join(tmpdir(), "haft-bench-"));
  return {
    async sample() {
      const host = await createHost({ workspaceDir, stateDir: false, sandbox: { backend: name } });
      const before = performance.now();
      const session = await host.openSession({ kind: "sandboxed" });
      const time = (performance.now() - before) * 1e6;
      const outcome = await session.call({ name: "exec", arguments: { command: "true" } });
      if (outcome.kind !== "ok") throw new Error(JSON.stringify(outcome));
      await host.close();
      return { time };
    },
    close: () => rmSync(workspaceDir, { recursive: true, force: true }),
  };
};

/** All objects of this process, which must disappear. */
async function countAll(backend: SandboxBackend): Promise<Record<string, number>> {
  return {
    sandboxes: (await backend.list()).length,
    processes: descendants(),
    mounts: readFileSync("/proc/self/mounts", "utf8").split("\n").length,
    fds: readdirSync("/proc/self/fd").length,
  };
}

function descendants(): number {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // It has ended.
    }
  }
  const isOurs = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at > 0; at = parents.get(at)) {
      if (at === process.pid) return true;
    }
    return false;
  };
  return [...parents.keys()].filter(isOurs).length;
}

/** Four sessions at a time, each with a command. */
const manySessions = (name: BuiltInBackend) => async (): Promise<Subject> => {
  const workspaceDir = mkdtempSync(join(tmpdir(), "haft-bench-"));
  const backend = await loadSandboxBackend(name);
  const oneMore = async (host: Awaited<ReturnType<typeof createHost>>) => {
    const session = await host.openSession({ kind: "sandboxed" });
    const outcome = await session.call({ name: "exec", arguments: { command: "sleep 100 & true" } });
    if (outcome.kind !== "ok") throw new Error(JSON.stringify(outcome));
    await session.close();
  };
  return {
    async sample() {
      const host = await createHost({ workspaceDir, stateDir: false, sandbox: { backend } });
      await oneMore(host);
      const before = await countAll(backend);
      const start = performance.now();
      const lane = async () => {
        for (let i = 0; i < SESSIONS / 4; i++) await oneMore(host);
      };
      await Promise.all(Array.from({ length: 4 }, lane));
      const time = ((performance.now() - start) * 1e6) / SESSIONS;
      const after = await countAll(backend);
      await host.close();
      const left = Object.entries(after).map(([what, count]) => [what, count - before[what]!] as const);
      return { time, ...Object.fromEntries(left) };
    },
    async close() {
      await backend.close?.();
      rmSync(workspaceDir, { recursive: true, force: true });
    },
  };
};

const plainSpawn = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", "true"], { stdio: "ignore" });
    child.on("error", reject);
    child.on("close", () => resolve());
  });

const against = (
  name: string,
  ours: Case["subjects"][string],
  operation: (exec: DockerExec) => Promise<unknown>,
): Case => ({
  name,
  about: "In a container. docker exec: one client process per operation. Engine: the same over the API.",
  rounds: 5,
  subjects: {
    Haft: ours,
    "docker exec": byDocker(createCliExec, operation),
    ...(operation === write ? {} : { Engine: byDocker(createEngineExec, operation) }),
  },
});

const flooded = (name: BuiltInBackend): Case => ({
  name: `read 1 KB while a command floods output, ${name}`,
  metrics: [
    { key: "p50", label: "median", unit: "time" },
    { key: "p95", label: "95th percentile", unit: "time" },
  ],
  rounds: 5,
  subjects: { Haft: whileFlooded(name) },
});

const many = (name: BuiltInBackend): Case => ({
  name: `${SESSIONS} sandboxed sessions opened and closed, ${name}`,
  about: "Each starts a command that would stay. The rows count leftovers; mounts are of the whole machine.",
  metrics: [
    { key: "time", label: "each", unit: "time" },
    { key: "sandboxes", label: "sandboxes left", unit: "count" },
    { key: "processes", label: "processes left", unit: "count" },
    { key: "mounts", label: "mounts left", unit: "count" },
    { key: "fds", label: "file descriptors left", unit: "count" },
  ],
  rounds: 1,
  subjects: { Haft: manySessions(name) },
});

const cold = (name: BuiltInBackend): Case => ({
  name: `open a sandboxed session, ${name}`,
  about: "Until the program inside has answered.",
  rounds: 7,
  metrics: [{ key: "time", label: "", unit: "time" }],
  subjects: { Haft: coldStart(name) },
});

export const suite: Suite = {
  name: "sandbox",
  title: "Sandboxed sessions",
  cases: [
    against(
      "read 1 KB, docker",
      inside("docker", ({ fs }) => fs.read("file")),
      read,
    ),
    against(
      "write 1 KB, docker",
      inside("docker", ({ fs }) => fs.write("file", KILOBYTE)),
      write,
    ),
    against("run true, docker", inside("docker", runTrue), runTrueByDocker),
    {
      name: "run true, with pauses, docker",
      about: `A pause of ${PAUSE_MS} ms before each.`,
      rounds: 5,
      subjects: {
        Haft: nowAndThen(inside("docker", runTrue)),
        "docker exec": nowAndThen(byDocker(createCliExec, runTrueByDocker)),
        Engine: nowAndThen(byDocker(createEngineExec, runTrueByDocker)),
      },
    },
    {
      name: "run true, bubblewrap",
      about: "Haft: a shell in the sandbox. limit: `/bin/sh -c true` outside.",
      subjects: { Haft: inside("bubblewrap", runTrue), limit: () => ({ run: plainSpawn }) },
    },
    cold("bubblewrap"),
    cold("docker"),
    flooded("bubblewrap"),
    flooded("docker"),
    many("bubblewrap"),
    many("docker"),
  ],
};
