import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { type GitBroker, openGitBroker } from "../../../src/view/git/open-git-broker.ts";
import { tempFolder } from "../../support.ts";

/** A test that needs bubblewrap, and may enter what it made. */
export { testAsRoot as testContained } from "../../bubblewrap/support.ts";

/** Runs one command after the other: told its number, folder and text, it answers number, code and output on a line. */
const SERVER = `
while IFS= read -r -d '' id && IFS= read -r -d '' cwd && IFS= read -r -d '' command; do
  cd "$cwd" && /bin/bash --noprofile --norc -c "$command" </dev/null >"/run/said-$id" 2>&1
  echo "$id $? $(base64 -w 0 "/run/said-$id")"
done`;

const START = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/run"];
const END = ["--unshare-pid", "--unshare-ipc", "--die-with-parent", "--info-fd", "3"];

export interface Ran {
  code: number;
  output: string;
}

export interface Contained {
  broker: GitBroker;
  pid: number;
  run(command: string, cwd?: string): Promise<Ran>;
  call(command: string, cwd?: string): Promise<Ran & { notices: string[] }>;
  close(): Promise<string[]>;
}

/** A view of this machine in which commands write to these folders, with git, as plain bubblewrap makes it. */
export async function contain(
  roots: readonly string[],
  folder = tempFolder("git-state"),
  also: readonly string[] = [],
): Promise<Contained> {
  const broker = await openGitBroker({ roots, folder, backupFolder: tempFolder("kept") });
  const { writable, pinned, extra } = broker.mounts;
  const held = broker.mounts.readOnly.filter((path) => existsSync(path));
  const bind = (mode: string, from: string, to = from) => [mode, from, to];
  const byDepth = (paths: readonly string[]) =>
    paths.toSorted((a, b) => a.split("/").length - b.split("/").length);
  const rules = byDepth([
    ...new Set([...pinned, ...held.flatMap((path) => between(path, [...roots, ...writable])), ...held]),
  ]);
  const args = [
    ...START,
    ...byDepth([...roots, ...also, ...writable]).flatMap((path) => bind("--bind", path)),
    ...rules.flatMap((path) => bind(held.includes(path) ? "--ro-bind" : "--bind", path)),
    ...extra.flatMap(({ from, to, access }) => bind(access === "rw" ? "--bind" : "--ro-bind", from, to)),
    ...END,
    "/bin/bash",
    "--noprofile",
    "--norc",
    "-c",
    SERVER,
  ];
  const child = spawn("bwrap", args, {
    stdio: ["pipe", "pipe", "inherit", "pipe"],
    env: GIT_ENVIRONMENT,
  }) as ChildProcess & { stdin: Writable; stdout: Readable };
  onTestFinished(() => void child.kill("SIGKILL"));
  const pid = (JSON.parse(await text(child.stdio[3] as Readable)) as { "child-pid": number })["child-pid"];
  const waiting = new Map<number, (ran: Ran) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [id, code, output = ""] = line.split(" ");
    waiting.get(Number(id))?.({ code: Number(code), output: Buffer.from(output, "base64").toString() });
  });
  let last = 0;
  const run = (command: string, cwd = roots[0]!): Promise<Ran> =>
    new Promise((resolve) => {
      const id = ++last;
      waiting.set(id, resolve);
      child.stdin.write(`${id}\0${cwd}\0${command}\0`);
    });
  await run("true", "/");
  await broker.enter({ pid });
  return {
    broker,
    pid,
    run,
    async call(command, cwd) {
      const before = await broker.before();
      const ran = await run(command, cwd);
      return { ...ran, notices: [...before, ...(await broker.after(false))] };
    },
    async close() {
      child.kill("SIGKILL");
      return broker.close();
    },
  };
}

function between(path: string, roots: readonly string[]): string[] {
  const root = roots.filter((one) => path.startsWith(`${one}/`)).toSorted((a, b) => b.length - a.length)[0];
  const parts = root === undefined ? [] : path.slice(root.length + 1).split("/");
  return parts.slice(0, -1).map((_name, at) => join(root!, ...parts.slice(0, at + 1)));
}

/** Of nobody's own settings, with times that do not change. */
export const GIT_ENVIRONMENT = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "protocol.file.allow",
  GIT_CONFIG_VALUE_0: "always",
};

/** On the host, as its user: throws when it fails. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: folder, env: GIT_ENVIRONMENT, encoding: "utf8", stdio: "pipe" });
}

export function onHost(folder: string, command: string): Ran {
  const { status, stdout, stderr } = spawnSync("/bin/bash", ["--noprofile", "--norc", "-c", command], {
    cwd: folder,
    env: GIT_ENVIRONMENT,
    encoding: "utf8",
  });
  return { code: status ?? -1, output: stdout + stderr };
}

/** A project with a remote that has two branches, in a folder of its own. */
export function createProject(
  name = "project",
  folder = tempFolder(name),
): { folder: string; root: string; origin: string } {
  if (template === undefined) {
    template = realpathSync(mkdtempSync(join(tmpdir(), "haft-project-")));
    process.once("exit", () => rmSync(template!, { recursive: true, force: true }));
    makeProject(template);
  }
  cpSync(template, folder, { recursive: true, preserveTimestamps: true });
  const [origin, root] = [join(folder, "origin"), join(folder, "work")];
  const config = join(root, ".git/config");
  writeFileSync(config, readFileSync(config, "utf8").replaceAll(template, folder));
  return { folder, root, origin };
}

/** Each project is a copy of this one: making it takes git ten processes. */
let template: string | undefined;

function makeProject(folder: string): void {
  const [origin, root] = [join(folder, "origin"), join(folder, "work")];
  mkdirSync(origin);
  git(origin, "init", "-q", "-b", "main");
  git(origin, "config", "user.name", "A Person");
  git(origin, "config", "user.email", "person@example.com");
  writeFileSync(join(origin, "one"), "1\n");
  git(origin, "add", ".");
  git(origin, "commit", "-qm", "one");
  git(origin, "branch", "topic");
  git(folder, "clone", "-q", "origin", "work");
  git(root, "config", "user.name", "A Person");
  git(root, "config", "user.email", "person@example.com");
}
