import { getErrorMessage } from "@haft/core";
import {
  RunnerError,
  builtFile,
  safePath,
  findHostProgram,
  hostProgram,
  runningNode,
  requireUnchangedProgram,
  startProgram,
} from "@haft/system";
import type { ChildProcess, ChildProcessWithoutNullStreams } from "node:child_process";
import { fileURLToPath } from "node:url";
import { DEFAULT_ANSWER_MS, DEFAULT_SILENT_MS } from "../defaults.ts";
import type { ProcessTableOptions } from "../run/process-table.ts";
import { RUNNER_FLAGS, type RunnerOptions } from "../run/runner-options.ts";
import { SHELLS } from "../run/shell-program.ts";
import { PROCESS_CHECKS } from "../wire/answer-checks.ts";
import { RunnerChannel } from "../wire/channel.ts";
import { createRunnerClient, type RunnerClient } from "../wire/process-client.ts";
import type { PreparedView, RunnerView } from "./runner-view.ts";
import { hasCommandGroups, openSessionGroup, type SessionGroup } from "./session-group.ts";

export interface LaunchedRunner {
  client: RunnerClient;
  ended: Promise<void>;
  limited: boolean;
  hasGroups: boolean;
  end: (graceMs: number) => Promise<void>;
}

export interface RunnerLaunch {
  isolation: "namespace" | "group";
  table: Omit<ProcessTableOptions, "listPids" | "alone">;
  controlGroups: boolean;
  env: Readonly<Record<string, string>>;
  /** Default: the runner starts directly on the host. A view implies a namespace. */
  view?: RunnerView | undefined;
  readOnly?: readonly string[];
  maxTasks: number;
  /** The default of 60,000 suffices on a busy machine. */
  startMs?: number | undefined;
  onLost: (why: string) => void;
}

/** If the first process or the host ends, the kernel kills all processes of the namespace. */
const NAMESPACE = ["--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "--die-with-parent", "--"];
const START_MS = 60_000;
const END_MS = 5_000;
const TRIES = 3;
/** Bubblewrap prints this if a mount ended before it was processed. No command has run yet. */
const MOUNT_ENDED = /remount "\/newroot\/.*": (?:No such file|Invalid argument)/;
const MAX_ERROR_OUTPUT = 2000;

/** The silent runner was killed. It might still be able to start. */
export class SilentRunnerError extends RunnerError {
  constructor(ms: number) {
    super("RUNNER_UNAVAILABLE", `it said nothing for ${ms / 1000} seconds`);
  }
}

/** The runner uses these programs. Only the host knows which folders belong to sessions. */
const RUNNER_PROGRAMS = ["mkfifo", "ps", "script", "stty", ...SHELLS];

/** Throws `RUNNER_UNAVAILABLE`, `HOST_PROGRAM_MISSING`, `HOST_PROGRAM_CHANGED`, or an error of the view. */
export async function launchRunner(launch: RunnerLaunch): Promise<LaunchedRunner> {
  const { isolation, table, env } = launch;
  const programs = Object.fromEntries(RUNNER_PROGRAMS.map((name) => [name, findHostProgram(name)]));
  const options: RunnerOptions = {
    ...table,
    ...launch.view?.runner,
    listPids: isolation === "group",
    alone: isolation === "namespace",
    contained: launch.view !== undefined,
    programs,
  };
  const shell = hostProgram("sh");
  const node = requireUnchangedProgram(runningNode());
  for (let tried = 1; ; tried++) {
    const view = await prepared(launch);
    // A runner in a view cannot write to its control group.
    const forCommands = launch.controlGroups && view === undefined;
    const group = openSessionGroup(table, launch.maxTasks, !forCommands);
    const controlGroup = forCommands ? group.folder : undefined;
    try {
      return await follow(start(view, group, { ...options, controlGroup }), { launch, group, view });
    } catch (thrown) {
      await group.remove();
      const mayComeUpNow = view?.canRetry() ?? MOUNT_ENDED.test(getErrorMessage(thrown));
      if (tried === TRIES || !mayComeUpNow) throw thrown;
    }
  }

  function start(
    view: PreparedView | undefined,
    group: SessionGroup,
    given: RunnerOptions,
  ): ChildProcessWithoutNullStreams {
    const argv = [view?.node ?? node, ...RUNNER_FLAGS, ...programArguments(), JSON.stringify(given)];
    if (view !== undefined) argv.unshift(...view.argv);
    else if (isolation === "namespace")
      argv.unshift(requireUnchangedProgram(hostProgram("bwrap")), ...NAMESPACE);
    let child: ChildProcessWithoutNullStreams | undefined;
    try {
      // Signals of the host's terminal must not reach it.
      child = startProgram(shell, [...group.argv, ...argv], {
        // Marks all descendants as running below a runner.
        env: { ...env, PATH: safePath(), HAFT_RUNNER: "1" },
        cwd: "/",
        detached: true,
        stdio: ["pipe", "pipe", "pipe", ...(view?.files ?? [])],
      }) as ChildProcessWithoutNullStreams;
    } catch (thrown) {
      view?.onEnded();
      throw thrown;
    } finally {
      view?.onStarted(child);
    }
    return child;
  }
}

interface Started {
  launch: RunnerLaunch;
  group: SessionGroup;
  view: PreparedView | undefined;
}

async function follow(
  child: ChildProcessWithoutNullStreams,
  { launch, group, view }: Started,
): Promise<LaunchedRunner> {
  let errorOutput = "";
  child.stderr.on("data", (bytes: Buffer) => {
    errorOutput = (errorOutput + bytes.toString()).slice(-MAX_ERROR_OUTPUT);
  });
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", (error) => {
      errorOutput = error.message;
      resolve();
    });
  }).then(() => {
    view?.onEnded();
    return group.remove();
  });
  let up = false;
  const channel = new RunnerChannel({
    input: child.stdin,
    output: child.stdout,
    onLost: (why) => {
      if (!up) return;
      launch.onLost(why);
      // A runner that was given up may still exist, with its commands.
      if (view !== undefined) child.kill("SIGKILL");
    },
    onBusy: (busy) => hold(child, busy),
    // Contained commands are treated as hostile.
    ...(view !== undefined && {
      distrust: { answerMs: launch.view?.answerMs ?? DEFAULT_ANSWER_MS, silentMs: DEFAULT_SILENT_MS },
    }),
  });
  const client = createRunnerClient(channel, view === undefined ? undefined : PROCESS_CHECKS);
  hold(child, true);
  const { startMs = START_MS } = launch;
  let isLate = false;
  const tooLate = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, startMs);
  const checked = view?.check();
  checked?.catch(() => {});
  try {
    await channel.ready.catch(async () => {
      await ended;
      if (isLate) throw new SilentRunnerError(startMs);
      const message = errorOutput.trim();
      throw (
        view?.explain(message) ??
        new RunnerError("RUNNER_UNAVAILABLE", message || "it ended without a message")
      );
    });
    await checked;
  } catch (thrown) {
    child.kill("SIGKILL");
    await ended;
    throw thrown;
  } finally {
    clearTimeout(tooLate);
  }
  up = true;
  hold(child, false);
  return {
    client,
    ended,
    limited: group.limitsTasks(),
    hasGroups: hasCommandGroups(group),
    end: async (graceMs) => {
      up = false;
      hold(child, true);
      const force = setTimeout(() => child.kill("SIGKILL"), graceMs + END_MS);
      await client.close(graceMs).catch(() => {});
      child.stdin.end();
      await ended;
      clearTimeout(force);
    },
  };
}

async function prepared({ view, table, readOnly = [] }: RunnerLaunch): Promise<PreparedView | undefined> {
  return view?.prepare({
    folder: table.folder,
    readOnly: [runningNode().path, ...codeFolders(import.meta.url), ...readOnly],
  });
}

const IMPORTED = ["core", "system", "utils"];

/** With the layout of pnpm, the imported packages are in other folders. */
function codeFolders(from: string): string[] {
  if (from.endsWith(".ts"))
    return ["workspace", ...IMPORTED].map((name) => fileURLToPath(new URL(`../../../${name}`, from)));
  const main = builtFile("@haft/workspace", "index.js", from);
  const scope = fileURLToPath(new URL("../..", main));
  const core = builtFile("@haft/core", "index.js", main.href);
  const utils = builtFile("@haft/utils", "index.js", core.href);
  const system = builtFile("@haft/system", "index.js", main.href);
  const apart = [core, system, utils].map((file) => fileURLToPath(new URL("..", file)));
  return [scope, ...apart.filter((folder) => !folder.startsWith(scope))];
}

/** Sources import the sources of other packages, because nothing may be built. */
function programArguments(): string[] {
  const from = import.meta.url;
  if (from.endsWith(".ts"))
    return ["--conditions=@haft/source", fileURLToPath(new URL("../run/runner-main.ts", from))];
  return [fileURLToPath(builtFile("@haft/workspace", "runner-main.js", from))];
}

function hold(child: ChildProcess, held: boolean): void {
  for (const one of [child, child.stdin, child.stdout, child.stderr] as unknown as {
    ref(): void;
    unref(): void;
  }[]) {
    if (held) one.ref();
    else one.unref();
  }
}
