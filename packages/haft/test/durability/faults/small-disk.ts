import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { haftCommand } from "../../../../../test/support/build-under-test.ts";
import type { Line } from "../../support/haft.ts";
import type { FaultWorkspace } from "./faulty-host.ts";

/** Options of `unshare` for a program that mounts what it alone sees. */
export const NAMESPACES = ["--user", "--map-root-user", "--mount"];

/** Whether a program here can have a disk of its own. */
export const canMount: boolean =
  process.platform === "linux" &&
  spawnSync("unshare", [...NAMESPACES, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

// Where CI says that all is there, what is not is no reason to leave tests out.
if (!canMount && process.env["HAFT_REQUIRE_SERVICES"] === "1")
  throw new Error("No small disk can be mounted here: unshare --user --mount does not work.");

/** Mounts the state folder; the last of it begins the command. */
const MOUNTS = {
  small: 'mount -t tmpfs -o size=1m,mode=700 none "$HAFT_STATE_DIR" && exec "$@"',
  "read-only":
    'mount --bind "$HAFT_STATE_DIR" "$HAFT_STATE_DIR" && mount -o remount,bind,ro "$HAFT_STATE_DIR" && exec "$@"',
};

/** The command with its state folder on a disk that it alone sees. */
export function haftOnDisk(
  { cwd, stateDir }: FaultWorkspace,
  disk: keyof typeof MOUNTS,
  args: readonly string[],
) {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const [program = "", ...before] = haftCommand;
  const command = ["sh", "-c", MOUNTS[disk], "sh", program, ...before, ...args];
  const none = { HAFT_POLICY: "", HAFT_CONFIG: "", HAFT_ADMIN_POLICY: "" };
  const child = spawn("unshare", [...NAMESPACES, ...command], {
    cwd,
    env: { ...process.env, HAFT_STATE_DIR: stateDir, ...none },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async call(value: object): Promise<Line> {
      child.stdin.write(`${JSON.stringify(value)}\n`);
      const { value: line, done } = await answers.next();
      if (done) throw new Error(`it ended without an answer: ${errors}`);
      return JSON.parse(line);
    },
    /** The disk, as this process can get at it. */
    folder: `/proc/${child.pid}/root${stateDir}`,
    async end(): Promise<{ code: number | null; errors: string }> {
      const ended = once(child, "close");
      child.stdin.end();
      const [code] = (await ended) as [number | null];
      return { code, errors };
    },
  };
}
