import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";

/** Addresses of nobody else: they are seen only in these namespaces. */
const SERVER = "10.97.0.1";
const NAME = /^haft(\d+)-/;

/** Why namespaces with networks cannot be made here; `undefined` where they can. */
export const NO_NETWORKS = whyNot();

if (NO_NETWORKS !== undefined && process.env["HAFT_REQUIRE_SERVICES"])
  throw new Error(`These tests make networks, and cannot: ${NO_NETWORKS}`);

/** Machines on one network, each in a namespace of its own. */
export interface Machines {
  /** Of the machine `server`, as the others reach it. */
  readonly address: string;
  /** Starts a program on one of them. */
  start(machine: string, program: string, ...words: readonly string[]): ChildProcess;
  /** Nothing comes to it any more and nothing from it, and nobody is told. */
  cut(machine: string): void;
  mend(machine: string): void;
  /** Ends what runs there, and removes all of it. */
  remove(): Promise<void>;
}

/** @param names at most ten; `server` is there, too */
export function makeMachines(names: readonly string[]): Machines {
  removeLeftovers();
  const spaceOf = (name: string) => `haft${process.pid}-${name}`;
  const all = ["server", ...names];
  const children = new Set<ChildProcess>();
  const port = (name: string) => `v${all.indexOf(name)}`;
  const onServer = (...words: string[]) => ip("-n", spaceOf("server"), ...words);
  try {
    for (const name of all) {
      ip("netns", "add", spaceOf(name));
      ip("-n", spaceOf(name), "link", "set", "lo", "up");
    }
    // With an address of its own: it would take that of a port, and change it with each port that comes and goes.
    onServer("link", "add", "br0", "address", "02:68:61:66:74:01", "type", "bridge");
    onServer("addr", "add", `${SERVER}/24`, "dev", "br0");
    onServer("link", "set", "br0", "up");
    for (const [at, name] of names.entries()) {
      const there = ["type", "veth", "peer", "name", "eth0", "netns", spaceOf(name)];
      onServer("link", "add", port(name), ...there);
      onServer("link", "set", port(name), "master", "br0", "up");
      ip("-n", spaceOf(name), "addr", "add", `10.97.0.${at + 10}/24`, "dev", "eth0");
      ip("-n", spaceOf(name), "link", "set", "eth0", "up");
    }
  } catch (thrown) {
    for (const name of all) removeSpace(spaceOf(name));
    throw thrown;
  }
  return {
    address: SERVER,
    start(machine, program, ...words) {
      const child = spawn("ip", ["netns", "exec", spaceOf(machine), program, ...words], {
        stdio: ["pipe", "pipe", "pipe"],
      });
      children.add(child);
      child.once("exit", () => children.delete(child));
      return child;
    },
    cut: (machine) => onServer("link", "set", port(machine), "down"),
    mend: (machine) => onServer("link", "set", port(machine), "up"),
    async remove() {
      await Promise.all(
        [...children].map(async (child) => {
          child.kill("SIGKILL");
          await once(child, "exit");
        }),
      );
      for (const name of all) removeSpace(spaceOf(name));
    },
  };
}

/** Those of test processes that were killed. */
function removeLeftovers(): void {
  for (const name of spaces()) {
    const pid = Number(NAME.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    for (const left of ip("netns", "pids", name).split("\n").filter(Boolean))
      process.kill(Number(left), "SIGKILL");
    removeSpace(name);
  }
}

function removeSpace(name: string): void {
  if (spaces().includes(name)) ip("netns", "del", name);
}

function spaces(): string[] {
  return ip("netns", "list")
    .split("\n")
    .flatMap((line) => line.split(" ")[0] || []);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function ip(...words: readonly string[]): string {
  return execFileSync("ip", words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function whyNot(): string | undefined {
  if (process.platform !== "linux") return "this is no Linux.";
  if (process.getuid?.() !== 0) return "only root may.";
  const name = `haft${process.pid}-try`;
  try {
    ip("netns", "add", name);
    ip("netns", "del", name);
    return undefined;
  } catch (thrown) {
    return `${(thrown as Error).message} (Debian: apt-get install iproute2).`;
  }
}
