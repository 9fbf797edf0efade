import type { HostProgram } from "@haft/workspace/internal/system";
import { attempt, hostProgram, safePath, startProgram, unchanged } from "@haft/workspace/internal/system";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { coded } from "../../../programs/host-programs.ts";
import { networkUnavailable } from "../network-unavailable.ts";

/** A program that gives a network namespace a way out. */
export interface Helper {
  args: (pid: number, isRoot: boolean) => string[];
}

/** The way out of a network namespace, as long as it is open. */
export interface Attached {
  /** Resolves with the last words of the program when it has ended: the commands are without a network from then on. */
  ended: Promise<string>;
  close: () => void;
}

interface AttachOptions {
  program: HostProgram;
  helper: Helper;
  pid: number;
  isRoot: boolean;
  user: { uid: number; gid: number } | undefined;
}

/** Milliseconds until there has to be a way. */
const PATIENCE_MS = 15_000;
const MAX_SAID = 2000;
/** Ends the program when our end of its input is gone: closed, or with this host, however that ended. */
const KEEP = `"$@" </dev/null & helper=$!; exec >&- 2>&-; read -r _; kill -KILL "$helper" 2>/dev/null`;

/** @throws HaftError `NETWORK_UNAVAILABLE`, `HOST_PROGRAM_CHANGED` */
export async function attach({ program, helper, pid, isRoot, user }: AttachOptions): Promise<Attached> {
  const until = performance.now() + PATIENCE_MS;
  const own = readlinkSync("/proc/self/ns/net");
  const wait = async (isSo: () => boolean): Promise<boolean> => {
    while (!isSo()) {
      if (performance.now() > until || attempt(() => process.kill(pid, 0)) === undefined) return false;
      await sleep(5);
    }
    return true;
  };
  const namespaceOf = () => attempt(() => readlinkSync(`/proc/${pid}/ns/net`)) ?? own;
  if (!(await wait(() => namespaceOf() !== own)))
    throw networkUnavailable("what was to be started in a network namespace of its own is not there");
  const child = coded(() =>
    startProgram(
      hostProgram("sh"),
      ["-c", KEEP, "haft-network", unchanged(program), ...helper.args(pid, isRoot)],
      { env: { PATH: safePath() }, cwd: "/", detached: true, stdio: "pipe", ...user },
    ),
  ) as ChildProcessWithoutNullStreams;
  let said = "";
  let hasEnded = false;
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => (said = (said + bytes.toString()).slice(-MAX_SAID)));
  child.stdin.on("error", () => {});
  // Both outputs are the program's alone.
  const ended = new Promise<string>((resolve) => {
    const end = (): void => {
      hasEnded = true;
      child.stdin.destroy();
      resolve(said.trim());
    };
    child.stderr.once("close", end);
    child.once("error", end);
  });
  for (const one of [child, ...child.stdio] as unknown as { unref: () => void }[]) one.unref();
  const close = (): void => void child.stdin.destroy();
  if (!(await wait(() => hasEnded || hasWayOut(pid))) || hasEnded) {
    close();
    const why = hasEnded ? `it ended: ${(await ended) || "without a word"}` : "there was no way out in time";
    throw networkUnavailable(`${program.name} did not lead out of the network namespace (${why})`);
  }
  return { ended, close };
}

/** Is there a default route where this process is? */
function hasWayOut(pid: number): boolean {
  const routes = attempt(() => readFileSync(`/proc/${pid}/net/route`, "utf8")) ?? "";
  return /^\S+\t00000000\t/m.test(routes);
}
