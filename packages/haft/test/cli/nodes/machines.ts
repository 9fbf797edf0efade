import { openKnownHosts, openIdentity, openPairings } from "@haft/nodes";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { createConfiguredWorkspace } from "../../../../../test/support/configured-workspace.ts";
import { type Finished, haft, haftHere, type Line, start } from "../../support/haft.ts";

/** Where a state folder has what concerns other machines. */
function foldersIn(state: string) {
  const [host, node] = [join(state, "nodes"), join(state, "node")];
  return { host, pairings: join(host, "paired"), node, hosts: join(node, "hosts") };
}

/** A machine with a configuration of its user and a workspace `w`, for commands that run there. */
export interface Machine {
  readonly cwd: string;
  readonly env: Record<string, string>;
  /** Its user's configuration, as YAML. */
  configure(text: string): Promise<void>;
  write(name: string, text: string): Promise<string>;
  /** To the end, in this process. */
  run(...args: string[]): Promise<Finished>;
  /** To the end, as a program. */
  haft(...args: string[]): Promise<Finished>;
  /** A program that answers lines of JSON, and reads some. */
  program(...args: string[]): Program;
  folders: ReturnType<typeof foldersIn>;
}

/** A program under way. */
export interface Program {
  readonly child: ChildProcess;
  /** What it printed next. @throws when it ended without, with what it said was wrong */
  line(): Promise<Line>;
  writeLine(text: string): void;
  /** @param signal 0: it ends by itself */
  end(signal?: NodeJS.Signals | 0): Promise<{ code: number | null; stderr: string }>;
  stderr(): string;
}

export async function machine(configuration: string): Promise<Machine> {
  const workspace = await createConfiguredWorkspace();
  const { cwd, env, at, write } = workspace;
  const configure = async (text: string) => void (await write("xdg/haft/haft.config.yaml", text));
  await configure(configuration);
  return {
    cwd,
    env,
    configure,
    write,
    run: (...args) => haftHere(args, at),
    haft: (...args) => haft(args, at),
    program: (...args) => createProgram(start(args, cwd, env)),
    folders: foldersIn(env.HAFT_STATE_DIR),
  };
}

/** A machine that is a node, and one that calls it. */
export async function machines(
  url: string,
  {
    offer = "[read, write, exec]",
    node = "",
    nodeRules = "{}",
    host = "{ grant: [node_invoke] }",
  }: { offer?: string; node?: string; nodeRules?: string; host?: string } = {},
) {
  const settings = (tools: string) =>
    `node: { server: "${url}", name: kitchen, offer: ${tools}${node === "" ? "" : `, ${node}`} }\npolicy: ${nodeRules}\n`;
  const kitchen = await machine(settings(offer));
  const desk = await machine(`nodes: { server: "${url}", name: desk }\npolicy: ${host}\n`);
  const nodeId = openIdentity(kitchen.folders.node).id;
  const hostId = openIdentity(desk.folders.host).id;
  return {
    kitchen,
    desk,
    nodeId,
    hostId,
    /** From its next start on. */
    reoffer: (tools: string) => kitchen.configure(settings(tools)),
    /** As if two people had compared the codes. */
    know() {
      openKnownHosts(kitchen.folders.hosts).write(hostId, { name: "desk", pairedAt: 1 });
      openPairings(desk.folders.pairings).write(nodeId, { name: "kitchen", pairedAt: 1 });
    },
    async serve(): Promise<Program & { ready: Line }> {
      const served = kitchen.program("nodes", "start", "--json");
      return { ...served, ready: await served.line() };
    },
    /** One call of the host, in this process. */
    async call(command: string, params: object, more: object = {}): Promise<Line> {
      const args = JSON.stringify({ command, params, ...more });
      const [outcome] = (await desk.run("tools", "call", "node_invoke", args, "--json")).lines();
      return outcome;
    },
  };
}

/** What started it is told when the test ends. */
export function createProgram(child: ReturnType<typeof start>): Program {
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, "close");
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`it ended: ${stderr}`);
      return JSON.parse(value);
    },
    writeLine: (text) => void child.stdin.write(`${text}\n`),
    async end(signal = "SIGTERM") {
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      return { code, stderr };
    },
    stderr: () => stderr,
  };
}
