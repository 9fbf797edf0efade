import { createHostProcesses, createHostWorkspace } from "@haft/workspace";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

/**
 * Kills commands that leave orphans in every way, and hosts with signal 9 during such commands. Counts
 * survivors, zombies, and open files.
 *
 *   node --conditions=@haft/source bench/process-orphans.ts [--count 1000] [--hosts 100] [--isolation auto|group]
 */
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "1000" },
    hosts: { type: "string", default: "100" },
    isolation: { type: "string", default: "auto" },
    /** Internal: a host that starts all and waits for its end. */
    host: { type: "string" },
  },
});
const isolation = values.isolation === "group" ? "group" : "auto";
// A `sleep` of this length belongs to this run.
const SECONDS = `${900 + Math.floor(Math.random() * 1e5)}.5`;

const scriptsFor = (seconds: string): string[] => [
  `sleep ${seconds} & sleep ${seconds}`,
  `nohup sleep ${seconds} >/dev/null 2>&1 & wait`,
  `setsid sleep ${seconds} & wait`,
  `(sleep ${seconds} >/dev/null 2>&1 &); wait`,
  `(setsid sleep ${seconds} >/dev/null 2>&1 </dev/null &); sleep ${seconds}`,
  `(setsid env -i /bin/sleep ${seconds} >/dev/null 2>&1 </dev/null &)`,
  `trap '' TERM; (setsid sleep ${seconds} &); sleep ${seconds}`,
];

if (values.host === undefined) await main();
else await beHost(values.host);

async function main(): Promise<void> {
  const good = [await killCommands(Number(values.count)), await killHosts(Number(values.hosts))];
  process.exitCode = good.every(Boolean) ? 0 : 1;
}

async function killCommands(count: number): Promise<boolean> {
  const root = mkdtempSync(join(tmpdir(), "haft-orphans-"));
  const processes = createHostProcesses({ workspace: createHostWorkspace({ root }), isolation });
  const first = await processes.start("first", { script: "echo $PPID" });
  await processes.wait(first.id);
  const before = filesOpen();
  const scripts = scriptsFor(SECONDS);
  for (let n = 0; n < count; n++) {
    const { id } = await processes.start(`orphans-${n}`, { script: scripts[n % scripts.length]! });
    await processes.wait(id, { timeoutMs: 20 });
    await processes.kill(id, { graceMs: 20 });
    await processes.release(id);
  }
  const after = filesOpen();
  const survivors = sleepers(SECONDS);
  const zombies = ours().filter(({ state }) => state === "Z").length;
  const kept = processes.isolation?.kind;
  await processes.close();
  rmSync(root, { recursive: true });
  console.log(
    `${count} orphan-making commands, kept apart by ${kept}: ${survivors} survivors, ${zombies} zombies, ` +
      `open files of host ${before.host} -> ${after.host}, of runner ${before.runner} -> ${after.runner}`,
  );
  return (
    survivors === 0 && zombies === 0 && after.host <= before.host + 2 && after.runner <= before.runner + 8
  );
}

async function killHosts(count: number): Promise<boolean> {
  const root = mkdtempSync(join(tmpdir(), "haft-orphans-"));
  let started = 0;
  let survivors = 0;
  for (let n = 0; n < count; n++) {
    const seconds = `${SECONDS}${n}1`;
    const argv = [import.meta.filename, "--host", root, "--isolation", isolation, "--count", seconds];
    const host = spawn(process.execPath, ["--conditions=@haft/source", ...argv], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => host.stdout.once("data", resolve));
    started += sleepers(seconds);
    host.kill("SIGKILL");
    for (let waited = 0; sleepers(seconds) > 0 && waited < 3000; waited += 20) await sleep(20);
    survivors += sleepers(seconds);
  }
  rmSync(root, { recursive: true });
  console.log(`kill -9 of ${count} hosts with ${started} processes: ${survivors} survivors`);
  return survivors === 0;
}

async function beHost(root: string): Promise<void> {
  const stateFolder = join(root, "state");
  const processes = createHostProcesses({ workspace: createHostWorkspace({ root }), isolation, stateFolder });
  const scripts = scriptsFor(values.count);
  for (const [n, script] of scripts.entries()) await processes.start(`orphans-${n}`, { script });
  while (sleepers(values.count) < scripts.length) await sleep(10);
  process.stdout.write("ready\n");
  setInterval(() => {}, 1000);
}

interface Found {
  pid: string;
  parent: string;
  state: string;
  command: string;
}

function everything(): Found[] {
  const found: Found[] = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      found.push({ pid, parent, state, command: readFileSync(`/proc/${pid}/cmdline`, "utf8") });
    } catch {
      // It ended.
    }
  }
  return found;
}

/** The sleeps; a shell has a space before its mention. */
function sleepers(seconds: string): number {
  return everything().filter(({ command }) => command.includes(`sleep\0${seconds}\0`)).length;
}

function ours(): Found[] {
  const all = everything();
  const found = new Set([String(process.pid)]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return all.filter(({ pid }) => found.has(pid));
}

function filesOpen(): { host: number; runner: number } {
  const runner = ours().find(({ command }) => command.startsWith("cmdkeeper"));
  return {
    host: readdirSync("/proc/self/fd").length,
    runner: runner === undefined ? 0 : readdirSync(`/proc/${runner.pid}/fd`).length,
  };
}
