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

/** The repository's project, which stays unchanged. */
export const fixture = fileURLToPath(new URL("../project", import.meta.url));

/** A file outside the workspace contains it; results must not. */
export const SECRET = "A. Nobody,12345";

export type ProjectCopy = Awaited<ReturnType<typeof copyProject>>;

/** Copies the project below `temporary`, with surroundings that must stay unchanged. */
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

// Inspects files, processes and servers independently of Haft.

/** A final check with its finding. */
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

/** Relative path to a short description. */
export type Snapshot = ReadonlyMap<string, string>;

/** Files by SHA-256, links by target, with permissions. */
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

/** Differences in words: `src/a.js 1a2b3c4 → 5d6e7f8`, `b.md new 9a8b7c6`. */
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

/** Runs `node --test` like the project's package.json, without Haft. */
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

/** Tests a copy after its repair. */
export async function checkTests(what: string, project: string, signal: AbortSignal) {
  const tests = await runProjectTests(project, signal);
  return check(what, isPassed(tests), tests);
}

/** Processes that work in a folder or name it; `undefined` without `/proc`. */
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
      // It ended or belongs to another user.
      return [];
    }
  });
}

export const TRAP_ANSWER = "nobody in the sandbox reads this";

/** A local server that sandboxes and views must not reach. */
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
    /** Otherwise the trap would prove nothing. */
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
