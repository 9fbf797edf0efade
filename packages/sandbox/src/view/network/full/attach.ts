import {
  type HostProgram,
  attempt,
  hostProgram,
  safePath,
  startProgram,
  requireUnchangedProgram,
} from "@haft/system";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { withCodedErrors } from "../../../programs/host-programs.ts";
import type { OpenNamespaces } from "../../view-spec.ts";
import { networkUnavailableError } from "../network-unavailable-error.ts";

/** Connects a network namespace. Its arguments are constant shell words. */
export interface Helper {
  args: string;
  where: (user: string, net: string) => string;
}

export interface Attached {
  /** Resolves with the program's last output. Commands then have no network. */
  ended: Promise<string>;
  close: () => void;
}

const PATIENCE_MS = 15_000;
const MAX_OUTPUT = 2000;

/** The program ends with its stdin. The shell has the user namespace open. */
const keeping = ({ args, where }: Helper, pid: number): string =>
  [
    `"$1" ${args} ${where('"/proc/$$/fd/3"', `/proc/${pid}/ns/net`)} </dev/null & helper=$!`,
    "exec >&- 2>&-",
    "read -r _",
    'kill -KILL "$helper" 2>/dev/null',
  ].join("\n");

export async function attach(
  program: HostProgram,
  helper: Helper,
  { pid, userNamespace }: OpenNamespaces,
): Promise<Attached> {
  const child = withCodedErrors(() =>
    startProgram(
      hostProgram("sh"),
      ["-c", keeping(helper, pid), "haft-network", requireUnchangedProgram(program)],
      {
        env: { PATH: safePath() },
        cwd: "/",
        detached: true,
        stdio: ["pipe", "pipe", "pipe", userNamespace],
      },
    ),
  ) as ChildProcessWithoutNullStreams;
  let output = "";
  let hasEnded = false;
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => (output = (output + bytes.toString()).slice(-MAX_OUTPUT)));
  child.stdin.on("error", () => {});
  const ended = new Promise<string>((resolve) => {
    const end = (): void => {
      hasEnded = true;
      child.stdin.destroy();
      resolve(output.trim());
    };
    child.stderr.once("close", end);
    child.once("error", end);
  });
  const close = (): void => void child.stdin.destroy();
  const until = performance.now() + PATIENCE_MS;
  const goesOn = (): boolean => !hasEnded && performance.now() < until;
  while (goesOn() && !hasWayOut(pid)) await sleep(5);
  if (hasEnded || !hasWayOut(pid)) {
    close();
    const why = hasEnded ? `it ended: ${output.trim() || "without a message"}` : "it was not ready in time";
    throw networkUnavailableError(`${program.name} did not connect its network namespace (${why})`, {
      fix: `Make sure that ${program.name} works for this user (it needs /dev/net/tun), or use a list of hosts for the network.`,
    });
  }
  for (const one of [child, child.stdin, child.stdout, child.stderr] as unknown as { unref: () => void }[])
    one.unref();
  return { ended, close };
}

function hasWayOut(pid: number): boolean {
  const routes = attempt(() => readFileSync(`/proc/${pid}/net/route`, "utf8")) ?? "";
  return /^\S+\t00000000\t/m.test(routes);
}
