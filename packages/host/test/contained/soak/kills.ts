import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createHost } from "../../../src/host/host.ts";

const HOST = fileURLToPath(new URL("host-to-kill.ts", import.meta.url));
/** The longest that a host lives on after it has opened its session. */
const LIVES_MS = 1500;

/** What was found after hosts were killed. */
export interface KillCount {
  kills: number;
  /** Commands that were answered before. */
  answered: number;
  /** Kills before the first answer: while the view was made. */
  early: number;
  /** Times that settings which a killed host had not looked for yet were still there after the next host's commands. */
  unlooked: number;
}

/**
 * Kills hosts while they work, each on what the one before left. After each, the next host finds all of it in order: what a command
 * was answered for is there, and nothing else is.
 *
 * @param random answers numbers from 0 to 1
 * @throws Error that says what was lost or left
 */
export async function killHosts(kills: number, random: () => number): Promise<KillCount> {
  const base = realpathSync(mkdtempSync(join(homedir(), ".haft-kills-")));
  const [project, stateDir] = [join(base, "project"), join(base, "state")];
  const count: KillCount = { kills, answered: 0, early: 0, unlooked: 0 };
  const mounts = mountsBelow(base);
  try {
    git(base, "init", "-q", project);
    git(project, "config", "user.name", "A Person");
    git(project, "config", "user.email", "0@example.com");
    git(project, "commit", "-q", "--allow-empty", "-m", "first");
    let email = 0;
    for (let round = 1; round <= kills; round++) {
      const printed = await lifeOf({ workspaceDir: project, stateDir, round }, random() * LIVES_MS);
      count.answered += printed.length;
      if (printed.length === 0) count.early++;
      email = printed.filter(({ at }) => at % 3 === 0).at(-1)?.number ?? email;
      await waitForRemoval(base);
      if (mountsBelow(base).length > mounts.length)
        throw new Error(`mounts were left: ${mountsBelow(base).join(" ")}`);
      // The user's own git works at once.
      git(project, "config", "user.name", `A Person ${round}`);
      git(project, "fsck");
      await nextHost(project, stateDir);
      const now = Number(git(project, "config", "user.email").split("@")[0]);
      if (now < email) throw new Error(`user.email is ${now}, and ${email} was answered`);
      if (git(project, "config", "user.name").trim() !== `A Person ${round}`)
        throw new Error("the user's own setting was lost");
      git(project, "fsck");
      checkLeft(project, stateDir);
      const left = [".envrc", ".claude"]
        .map((name) => join(project, name))
        .filter((path) => existsSync(path));
      if (left.length > 0) count.unlooked++;
      for (const path of left) rmSync(path, { recursive: true });
    }
    return count;
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function lifeOf(options: object, lives: number): Promise<{ number: number; at: number }[]> {
  const child = spawn(
    process.execPath,
    ["--conditions=@haft/source", "--no-warnings", HOST, JSON.stringify(options)],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const said = { text: "" };
  child.stdout.on("data", (bytes: Buffer) => (said.text += bytes.toString()));
  const ended = once(child, "exit");
  // Some are killed while they open their first session, at any step of it.
  const until = Date.now() + 120_000;
  if (lives > LIVES_MS / 5)
    while (said.text === "" && Date.now() < until && child.exitCode === null) await sleep(5);
  await sleep(lives);
  if (child.exitCode !== null) throw new Error(`the host ended by itself, with ${child.exitCode}`);
  child.kill("SIGKILL");
  await ended;
  const lines = said.text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as { number: number; at: number });
}

/** Everything that it had started ends with it. */
async function waitForRemoval(base: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    const left = processesIn(base);
    if (left.length === 0) return;
    if (tries > 400) throw new Error(`processes were left: ${left.join(", ")}`);
    await sleep(25);
  }
}

function processesIn(base: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
      return (
        environment.includes(`PWD=${base}`) || readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(base)
      );
    } catch {
      return false;
    }
  });
}

/** The next host on the same state: its first command, and the look after it. */
async function nextHost(workspaceDir: string, stateDir: string): Promise<void> {
  const host = await createHost({
    workspaceDir,
    stateDir,
    administratorPolicy: false,
    policy: { exec: { preset: "contained" } },
  });
  try {
    const session = await host.openSession();
    for (const command of [": first", ": second"]) {
      const outcome = await session.call({ name: "exec", arguments: { command } });
      if (outcome.kind !== "ok") throw new Error(`the next host: ${JSON.stringify(outcome)}`);
    }
  } finally {
    await host.close();
  }
}

function checkLeft(project: string, stateDir: string): void {
  if (existsSync(join(project, ".git/config.lock"))) throw new Error("the lock of the settings was left");
  // Git's own, of one that ended with its host.
  for (const name of ["index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/heads/master.lock"])
    rmSync(join(project, ".git", name), { force: true });
  for (const name of readdirSync(join(stateDir, "contained"))) {
    const copies = join(stateDir, "contained", name, "git");
    const left = existsSync(copies) ? readdirSync(copies) : [];
    if (left.length > 0) throw new Error(`copies of settings were left: ${left.join(", ")}`);
  }
}

function mountsBelow(base: string): string[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line.includes(base));
}

function git(cwd: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout;
}
