import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import type { SandboxLimits } from "../backend.ts";
import { ChildStream } from "../launch/child-stream.ts";
import type { ControlGroup } from "./control-group.ts";
import { SETUP_FAILED } from "./explain-failure.ts";
import type { Identity } from "./identity.ts";
import { MARK } from "./marked-processes.ts";
import type { PassedFiles } from "./passed-files.ts";
import { NODE_INSIDE, PROGRAM_INSIDE } from "./profile.ts";

/** A bubblewrap that was started, and how it went. */
export interface Launched {
  pid: number;
  stream: ChildStream;
  /** What it has said on its standard error, the end of it. */
  complaint(): string;
  exit: Promise<{ code: number | undefined; signal: string | undefined }>;
}

export interface LaunchOptions {
  /** Of the sandbox: marks its processes. */
  id: string;
  bwrap: string;
  /** Of bubblewrap, up to the command. */
  argv: readonly string[];
  identity: Identity;
  limits: SandboxLimits;
  group: ControlGroup;
  /** Numbers under which the child finds the entries of the group; of one digit, shells know no others. */
  entries: readonly number[];
  files: PassedFiles;
  setup: string | undefined;
}

/** All the runner has; commands get theirs from the host. The last folder has a Node for systems without one. */
export const RUNNER_ENVIRONMENT = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/opt/haft",
  HOME: "/tmp",
  TMPDIR: "/tmp",
  LANG: "C.UTF-8",
  USER: "haft",
  LOGNAME: "haft",
};

const NODE_FLAGS = ["--no-warnings", "--max-semi-space-size=1"];
const MAX_COMPLAINT = 4000;
const LAST_WORDS_MS = 500;
/** Of data that can be written, before it has done anything. Other systems' Nodes reserve less. */
export const NODE_RESERVES_MB = 768;
/** In units of the shell's `ulimit -f`. */
const BLOCKS_PER_MB = 2048;

/**
 * Starts bubblewrap through a shell that enters the control group and gives up what it may use, before anything of
 * the sandbox exists. The shell belongs to the sandbox's user already.
 */
export function launchBubblewrap(options: LaunchOptions): Launched {
  const { id, bwrap, argv, identity, limits, group, entries, files, setup } = options;
  const args = files.addText(argv.map((one) => `${one}\0`).join(""));
  // Of each process, and Node reserves much that it never uses: better than nothing.
  const memory = `ulimit -d ${Math.floor((limits.memoryMb + NODE_RESERVES_MB) * 1024)}`;
  const outer = [
    // `0` is whoever writes it. Kernels before 5.16 ask who writes, not who opened the file.
    ...entries.map((fd) => `echo 0 >&${fd} || ${memory}; exec ${fd}>&-`),
    "ulimit -c 0",
    `ulimit -f ${Math.max(1, Math.floor(limits.fileMb * BLOCKS_PER_MB))}`,
    ...(group.holds.has("memory") ? [] : [memory]),
    'exec "$@"',
  ].join("; ");
  const command = [...innerShell(limits, group, setup), NODE_INSIDE, ...NODE_FLAGS, PROGRAM_INSIDE];
  const child = spawn(
    "/bin/sh",
    ["-c", outer, "haft-sandbox", bwrap, "--args", String(args), "--", ...command],
    {
      // Of its own, so that signals of the host's terminal are for the host.
      detached: true,
      cwd: "/",
      env: { ...RUNNER_ENVIRONMENT, [MARK]: id },
      stdio: ["pipe", "pipe", "pipe", ...files.stdio()],
      ...identity.drop,
    },
  ) as ChildProcessWithoutNullStreams;
  files.close();
  let complaint = "";
  child.stderr.on("data", (bytes: Buffer) => {
    complaint = (complaint + bytes.toString()).slice(-MAX_COMPLAINT);
  });
  const stream = new ChildStream(child);
  const exit = new Promise<Awaited<Launched["exit"]>>((resolve) => {
    child.once("exit", (code, signal) => {
      const end = (): void => resolve({ code: code ?? undefined, signal: signal ?? undefined });
      // Normally with its last words; but somebody inside may hold the pipes for longer.
      child.once("close", end);
      setTimeout(end, LAST_WORDS_MS).unref();
    });
    child.once("error", (error) => {
      complaint += error.message;
      resolve({ code: undefined, signal: undefined });
    });
  });
  return {
    pid: child.pid ?? 0,
    stream,
    complaint: () => complaint,
    exit,
  };
}

/** What has to happen inside, before the runner: a limit that counts by user there, and the setup script. */
function innerShell(limits: SandboxLimits, group: ControlGroup, setup: string | undefined): string[] {
  const script: string[] = [];
  // Shells call it differently. In a user namespace of its own, only the sandbox's processes count.
  if (!group.holds.has("pids"))
    script.push(`ulimit -u ${limits.tasks} 2>/dev/null || ulimit -p ${limits.tasks} 2>/dev/null`);
  if (setup !== undefined) script.push(`sh -c "$0" </dev/null >&2 || exit ${SETUP_FAILED}`);
  return script.length === 0 ? [] : ["/bin/sh", "-c", [...script, 'exec "$@"'].join("; "), setup ?? "haft"];
}
