import type { Processes } from "@haft/core";
import { mapProcesses } from "@haft/core/internal";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { stateFolderIn } from "../../../../test/support/compile-cache.ts";
import { pickShare } from "../../../../test/support/share.ts";
import type { HostProcesses, HostProcessesOptions } from "../../src/index.ts";
import { createHostProcesses, createHostWorkspace } from "../../src/index.ts";
import { RUNNER_TITLE } from "../../src/run/runner-options.ts";

export { run, start, decodeChunks, uniqueSleep, until } from "../contract/support.ts";

/** Every way in which commands are started and kept apart; all of them behave alike. */
export const START_MODES = {
  "runner in a namespace": { isolation: "auto" },
  "runner among all processes": { isolation: "group" },
  "in the host": { startedBy: "host" },
} as const satisfies Record<string, Partial<HostProcessesOptions>>;

const [usual, ...others] = Object.entries(START_MODES).map(([name, options]) => ({ name, options }));
/** The usual way and one of the others, at random; all of them in a long campaign. */
export const EACH_START_MODE = [usual!, ...pickShare(others, 2)];

export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "haft-processes-")));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export interface Site {
  root: string;
  processes: HostProcesses;
}

/** A session with a workspace of its own; ended after the test. */
export function session(options: Partial<HostProcessesOptions> = {}): Site {
  const base = folder();
  const root = realpathSync(mkdtempSync(join(base, "ws-")));
  const processes = createHostProcesses({
    workspace: createHostWorkspace({ root }),
    stateFolder: stateFolderIn(base),
    ...options,
  });
  onTestFinished(() => processes.close({ graceMs: 0 }));
  return { root, processes };
}

interface Shared {
  base: string;
  processes: HostProcesses;
  count: number;
}

/**
 * Sessions that all tests of a file share which want the same options: a runner is dear to start. Each test has a root of its
 * own there, in which what it starts begins; that is all that it sees, and has ended when the test has. For what is about
 * the session itself, its boundary or its end, take {@link session}.
 */
export function sharedSessions() {
  const opened = new Map<object, Shared>();
  afterAll(async () => {
    for (const { base, processes } of opened.values()) {
      await processes.close({ graceMs: 0 });
      rmSync(base, { recursive: true, force: true });
    }
  });
  return (options: Partial<HostProcessesOptions>): { root: string; processes: Processes } => {
    const found = opened.get(options) ?? openShared(options);
    opened.set(options, found);
    return rootIn(found);
  };
}

function openShared(options: Partial<HostProcessesOptions>): Shared {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-processes-")));
  const root = join(base, "ws");
  mkdirSync(root);
  const workspace = createHostWorkspace({ root });
  const processes = createHostProcesses({ workspace, stateFolder: stateFolderIn(base), ...options });
  return { base, processes, count: 0 };
}

function rootIn(session: Shared): { root: string; processes: Processes } {
  const name = `test-${++session.count}`;
  const root = join(session.base, "ws", name);
  mkdirSync(root);
  const children = new Set<string>();
  onTestFinished(async () => {
    for (const id of children) await session.processes.kill(id, { graceMs: 0 }).catch(() => {});
  });
  const within = (cwd = "."): string => (isAbsolute(cwd) || /^[~\s]/.test(cwd) ? cwd : join(root, cwd));
  return {
    root,
    processes: {
      ...mapProcesses(() => session.processes),
      async start(callerId, spec, options) {
        const local = { ...spec, cwd: within(spec.cwd) };
        const info = await session.processes.start(`${name}-${callerId}`, local, options);
        children.add(info.id);
        return info;
      },
      identify: (names, where) => session.processes.identify(names, { ...where, cwd: within(where.cwd) }),
      list: async () => (await session.processes.list()).filter(({ id }) => children.has(id)),
    },
  };
}

/** Everything that can be read, pulled in pieces. */
export async function readAll(
  processes: Processes,
  id: string,
  max = 64 * 1024,
): Promise<{ stdout: Buffer; stderr: Buffer; all: Buffer; dropped: number; total: number }> {
  const parts: { stream: string; bytes: Uint8Array }[] = [];
  let dropped = 0;
  for (let from = 0; ;) {
    const output = await processes.read(id, from, { max });
    parts.push(...output.chunks);
    dropped += output.dropped;
    from = output.next;
    if (from < output.total) continue;
    const of = (stream: string): Buffer =>
      Buffer.concat(parts.filter((one) => one.stream === stream).map(({ bytes }) => bytes));
    const all = Buffer.concat(parts.map(({ bytes }) => bytes));
    return { stdout: of("stdout"), stderr: of("stderr"), all, dropped, total: output.total };
  }
}

/** A script that starts a `sleep` which leaves its group, its session, its parents, its variables and its files. */
export const detachedSleepScript = (seconds: string): string =>
  `env -i setsid sh -c "exec </dev/null >/dev/null 2>&1 9>&-; setsid sleep ${seconds} &"; sleep 600`;

/** Living processes of this machine whose command line contains a text: one that has ended has none. Make it unlike all others. */
export function findProcesses(text: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && commandLine(pid).includes(text));
}

export function sessionGroups(id: string): string[] {
  const name = `haft-${id.slice(0, id.indexOf("-"))}`;
  const folders = ["/sys/fs/cgroup", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/unified"];
  return folders.map((local) => join(local, name)).filter(existsSync);
}

/** Runners that have come up, of a host with this state folder. */
export function findRunners(stateFolder: string): number[] {
  return findProcesses(RUNNER_TITLE).filter((pid) => {
    const isTitle = commandLine(pid).split("\0")[0] === RUNNER_TITLE;
    return isTitle && readProcess(pid, "environ").includes(stateFolder);
  });
}

/** Its words, each ended by a NUL; empty when it is gone. */
export function commandLine(pid: number): string {
  return readProcess(pid, "cmdline");
}

function readProcess(pid: number, file: "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
