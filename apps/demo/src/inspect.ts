import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, readlinkSync, appendFileSync } from "node:fs";
import fs from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** The project as it stands in the repository. Nobody works on it. */
export const fixture = fileURLToPath(new URL("../project", import.meta.url));

/** Stands in the file beside the workspace, and must stand in no result. */
export const SECRET = "A. Nobody,12345";

export type ProjectCopy = Awaited<ReturnType<typeof copyProject>>;

/** A folder below `temporary` with copies of the project, and things around them that must stay as they are. */
export async function copyProject(temporary = tmpdir()) {
  const root = await fs.mkdtemp(join(await fs.realpath(temporary), "haft-demo-"));
  const outbox = join(root, "outbox.jsonl");
  const copy = {
    root,
    project: join(root, "project"),
    isolated: join(root, "isolated"),
    onNode: join(root, "machine", "project"),
    bell: join(root, "machine", "bell.log"),
    repository: join(root, "repository"),
    neighbour: join(root, "neighbour"),
    deliver: (channel: string, message: string) =>
      appendFileSync(outbox, `${JSON.stringify({ channel, text: message })}\n`),
    delivered: () => readFileSync(outbox, "utf8").split("\n").length - 1,
    remove: () => fs.rm(root, { recursive: true, force: true }),
  };
  const copies = [copy.project, copy.isolated, copy.onNode];
  await Promise.all(copies.map((folder) => fs.cp(fixture, folder, { recursive: true })));
  await fs.mkdir(copy.neighbour);
  await fs.writeFile(join(copy.neighbour, "salaries.csv"), `name,salary\n${SECRET}\n`);
  await fs.writeFile(outbox, "");
  return copy;
}

// How the demo looks at files, processes and servers itself, not through Haft.

/** One thing that was looked at when all was over, and what was found. */
export interface Check {
  what: string;
  ok: boolean;
  found: string;
}

/** @param found in words, or facts by name */
export function check(what: string, ok: boolean, found: string | object): Check {
  const facts = Object.entries(found).map(([name, fact]) => `${name}: ${fact}`);
  return { what, ok, found: typeof found === "string" ? found : facts.join(", ") };
}

/** Everything below a folder: relative path to what is there, as one short text. */
export type Snapshot = ReadonlyMap<string, string>;

/** Files by the SHA-256 of their bytes, links by their target; permissions count. */
export async function takeSnapshot(folder: string): Promise<Snapshot> {
  const entries = new Map<string, string>();
  for (const path of (await fs.readdir(folder, { recursive: true })).toSorted()) {
    const full = join(folder, path);
    const stat = await fs.lstat(full);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isSymbolicLink()) entries.set(path, `link to ${await fs.readlink(full)}`);
    else if (stat.isFile()) entries.set(path, `${hash("sha256", await fs.readFile(full))} ${mode}`);
    else entries.set(path, `${stat.isDirectory() ? "folder" : "special"} ${mode}`);
  }
  return entries;
}

/** What differs, in words: `src/a.js 1a2b3c4 → 5d6e7f8`, `b.md new 9a8b7c6`. */
export function differences(before: Snapshot, after: Snapshot): string[] {
  const short = (entry: string) => entry.replace(/^([0-9a-f]{7})[0-9a-f]{57} .*$/, "$1");
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths.flatMap((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was === is) return [];
    if (is === undefined) return [`${path} is gone`];
    return [was === undefined ? `${path} new ${short(is)}` : `${path} ${short(was)} → ${short(is)}`];
  });
}

export type TestRun = Awaited<ReturnType<typeof runProjectTests>>;

/** Runs `node --test` in the project, as its package.json does, but not through Haft. */
export async function runProjectTests(project: string, signal: AbortSignal) {
  const child = spawn(process.execPath, ["--test", "--test-isolation=none", "--test-reporter=tap"], {
    cwd: project,
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "ignore"],
    signal,
  });
  const closed = once(child, "close") as Promise<[number | null]>;
  const [output, [exitCode]] = await Promise.all([text(child.stdout), closed]);
  const count = (what: string) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(output)?.[1] ?? 0);
  return { exitCode, tests: count("tests"), passed: count("pass"), failed: count("fail") };
}

export function isPassed({ exitCode, failed, passed }: TestRun): boolean {
  return exitCode === 0 && failed === 0 && passed > 0;
}

/** Runs the tests of a copy, whose repair somebody else was to do. */
export async function checkTests(what: string, project: string, signal: AbortSignal) {
  const tests = await runProjectTests(project, signal);
  return check(what, isPassed(tests), tests);
}

/** Processes that work in a folder, or name it in their command line. `undefined` where there is no `/proc`. */
export function findProcesses(folder: string): { pid: number; command: string }[] | undefined {
  if (!existsSync("/proc/self/cwd")) return undefined;
  const pids = readdirSync("/proc").map(Number);
  return pids.flatMap((pid) => {
    if (!(pid > 0) || pid === process.pid) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      const isThere = `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`);
      return isThere || command.includes(folder) ? [{ pid, command }] : [];
    } catch {
      // It has ended meanwhile, or belongs to somebody else.
      return [];
    }
  });
}

export const TRAP_ANSWER = "nobody in the sandbox reads this";

/** A server of this machine, which nobody in a sandbox or a view is to reach. */
export async function openTrap() {
  let visitors = 0;
  const server = createServer((_request, response) => {
    visitors += 1;
    response.end(TRAP_ANSWER);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    command: `node -e 'fetch("${url}").then((r) => r.text(), (e) => e.cause.message).then(console.log)'`,
    visitors: () => visitors,
    /** It can be reached from here: otherwise it would prove nothing. */
    isReachable: async () => (await (await fetch(url)).text()) === TRAP_ANSWER,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const thrown: unknown = await once(socket, "connect").catch((error: unknown) => error);
  socket.destroy();
  return (thrown as NodeJS.ErrnoException).code === "ECONNREFUSED";
}
