import { BOOTSTRAP, RUNNER_FLAGS } from "@haft/workspace/runner";
import { stageNode } from "../launch/stage-node.ts";

/** Ways to have a runner in a container. `image-node`: the Node of the image. `host-node`: this machine's, mounted. */
export type DockerRunner = "image-node" | "host-node";
export const DOCKER_RUNNERS: readonly DockerRunner[] = ["image-node", "host-node"];

const NODE_INSIDE = "/opt/haft/node";
/** Of the setup script, to tell its failure from that of the runner. */
export const SETUP_FAILED = 97;

/** How the Node of a container is started, and what that needs to be mounted. */
export interface RunnerStart {
  node: string;
  system: readonly { source: string; target: string }[];
}

export async function startOf(runner: DockerRunner): Promise<RunnerStart> {
  if (runner === "image-node") return { node: "node", system: [] };
  const { path } = await stageNode();
  return { node: NODE_INSIDE, system: [{ source: path, target: NODE_INSIDE }] };
}

/** Its program arrives through standard input. The setup script runs first, where there is one. */
export function runnerCommand({ node }: RunnerStart, setup: string | undefined): string[] {
  const command = [node, ...RUNNER_FLAGS, "-e", BOOTSTRAP];
  if (setup === undefined) return command;
  return ["sh", "-c", `sh -c "$0" </dev/null >&2 || exit ${SETUP_FAILED}; exec "$@"`, setup, ...command];
}

const LOOK_MS = 2_000;

/**
 * The main process of a detached container. It ends the container when nothing has run in it beside itself for too
 * long, or when it is too old: nobody has to come back for that.
 */
export function keeperCommand(
  { node }: RunnerStart,
  { idleMs, maxAgeMs }: { idleMs: number; maxAgeMs: number },
): string[] {
  const program = [
    'const f=require("fs"),start=Date.now();let last=start;',
    'const own=new Set(["1",String(process.pid)]);',
    "setInterval(()=>{const now=Date.now();",
    'if(f.readdirSync("/proc").some(n=>/^[0-9]+$/.test(n)&&!own.has(n)))last=now;',
    `if(now-last>=${idleMs}||now-start>=${maxAgeMs})process.exit(0)},`,
    `${Math.max(100, Math.min(LOOK_MS, idleMs / 4))});`,
    'process.on("SIGTERM",()=>process.exit(0));',
  ].join("");
  return [node, ...RUNNER_FLAGS, "-e", program];
}
