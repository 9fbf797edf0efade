import { BOOTSTRAP, RUNNER_FLAGS, RUNNER_TITLE, runnerProgram } from "@haft/workspace/internal/wire";
import type { DetachedLifetime } from "../../launch/resolve-lifetime.ts";
import { stageNode } from "../../programs/stage-node.ts";
import { readShellProgram } from "../../shell-runner/connect-shell-runner.ts";
import { CONTAINER_INIT_PATH } from "./stage-init.ts";

/** `image-node`: the image's Node. `host-node`: this machine's, mounted. `image-shell`: the image's shell, which supports less. */
export type DockerRunner = "image-node" | "host-node" | "image-shell";
export const DOCKER_RUNNERS: readonly DockerRunner[] = ["image-node", "host-node", "image-shell"];

export interface RunnerStart {
  runner: DockerRunner;
  kind: "program" | "shell";
  command: readonly string[];
  /** Precedes the main command. Empty: Docker adds its own init. */
  init: readonly string[];
  /** True if commands cannot inspect the runner or the first process. */
  guarded: boolean;
  source?: string;
  keeper: (lifetime: DetachedLifetime, mark: string) => readonly string[];
  system: readonly { source: string; target: string }[];
}

const NODE_INSIDE = "/opt/haft/node";
/** Commands of a detached container could make a new runner listen for a debugger. */
const NO_DEBUGGER = ["--disable-sigusr1"].filter((flag) => process.allowedNodeEnvironmentFlags.has(flag));
const CHECK_NODE =
  'if(parseInt(process.versions.node)<20){console.error("it is Node "+process.versions.node);process.exit(1)}';

export async function createRunnerStart(
  runner: DockerRunner,
  initPath: string | undefined,
  cacheFolder: string,
): Promise<RunnerStart> {
  const init = initPath === undefined ? [] : [CONTAINER_INIT_PATH, "--"];
  const system = initPath === undefined ? [] : [{ source: initPath, target: CONTAINER_INIT_PATH }];
  if (runner === "image-shell") {
    const source = readShellProgram();
    // Not an argument, because commands may end programs by their arguments (`pkill -f`).
    const command = ["sh", "-c", `eval "$(dd bs=1 count=${Buffer.byteLength(source)} 2>/dev/null)"`];
    return { runner, kind: "shell", command, init, guarded: false, source, keeper: buildShellKeeper, system };
  }
  const { source } = await runnerProgram();
  const staged = runner === "host-node" ? await stageNode(cacheFolder) : undefined;
  const node =
    staged === undefined ? ["node", ...RUNNER_FLAGS] : [NODE_INSIDE, ...RUNNER_FLAGS, ...NO_DEBUGGER];
  if (staged !== undefined) system.push({ source: staged.path, target: NODE_INSIDE });
  return {
    runner,
    kind: "program",
    command: [...node, "-e", CHECK_NODE + BOOTSTRAP],
    init,
    guarded: initPath !== undefined && staged?.guarded === true,
    source,
    keeper: (lifetime, mark) => buildNodeKeeper(node, lifetime, mark),
    system,
  };
}

export const DOCKER_SETUP_FAILED = 97;

export function wrapWithSetup(
  { kind }: RunnerStart,
  setup: string | undefined,
  command: readonly string[],
): readonly string[] {
  if (setup === undefined) return command;
  const check = kind === "program" ? `"$1" -e '${CHECK_NODE}' >&2 || exit; ` : "";
  const script = `${check}sh -c "$0" </dev/null >&2 || exit ${DOCKER_SETUP_FAILED}; exec "$@"`;
  return ["sh", "-c", script, setup, ...command];
}

const READY = "/tmp/.haft-ready";

/** The main process of a detached container runs the setup, and ends when it is idle for too long or too old. */
export function keeperCommand(
  start: RunnerStart,
  lifetime: DetachedLifetime,
  setup: string | undefined,
): readonly string[] {
  return wrapWithSetup(start, setup, start.keeper(lifetime, setup === undefined ? "" : READY));
}

export function wrapWithReadyCheck(setup: string | undefined, command: readonly string[]): readonly string[] {
  if (setup === undefined) return command;
  const script = 'until [ -e "$0" ]; do sleep 0.1 2>/dev/null || sleep 1; done; exec "$@"';
  return ["sh", "-c", script, READY, ...command];
}

const POLL_MS = 2_000;

function buildNodeKeeper(
  node: readonly string[],
  { idleMs, maxAgeMs }: DetachedLifetime,
  mark: string,
): readonly string[] {
  const program = [
    `process.title=${JSON.stringify(RUNNER_TITLE)};`,
    'const f=require("fs"),start=Date.now();let last=start;',
    'const own=new Set(["1",String(process.pid)]);',
    "const look=()=>{const now=Date.now();",
    mark === "" ? "" : `try{f.appendFileSync(${JSON.stringify(mark)},"")}catch{}`,
    'if(f.readdirSync("/proc").some(n=>/^[0-9]+$/.test(n)&&!own.has(n)))last=now;',
    `if(now-last>=${idleMs}||now-start>=${maxAgeMs})process.exit(0)};`,
    `look();setInterval(look,${Math.max(100, Math.min(POLL_MS, idleMs / 4))});`,
    'process.on("SIGTERM",()=>process.exit(0));',
  ].join("");
  return [...node, "-e", program];
}

/** Counts seconds, because shells cannot sleep for less. */
function buildShellKeeper({ idleMs, maxAgeMs }: DetachedLifetime, mark: string): readonly string[] {
  const script = `trap 'exit 0' TERM
now=0 last=0
while [ $((now - last)) -lt "$1" ] && [ $now -lt "$2" ]; do
  [ -z "$0" ] || { command : >>"$0"; } 2>/dev/null
  sleep 1
  now=$((now + 1))
  for p in /proc/[0-9]*; do
    case $p in /proc/1 | /proc/$$) ;; *) [ ! -d "$p" ] || last=$now ;; esac
  done
done`;
  const seconds = (ms: number): string => String(Math.max(1, Math.ceil(ms / 1000)));
  return ["sh", "-c", script, mark, seconds(idleMs), seconds(maxAgeMs)];
}
