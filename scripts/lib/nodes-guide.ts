import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { dirname, join } from "node:path";
import { toReadable } from "./terminal-recorder.ts";
import { Terminals } from "./terminals.ts";

/** A block of the guide. */
interface Block {
  machine: "kitchen" | "desk";
  /** The file's name. */
  file?: string;
  /** Commands: `and stays`, `and waits`, `and fails`. */
  how?: string;
  text: string;
}

interface Played {
  /** The terminals' text in order. */
  transcript: string;
  /** Differences from the guide. */
  problems: string[];
}

/** A command on its own terminal. */
interface Terminal {
  until(wanted: RegExp): Promise<string>;
  type(text: string): Promise<void>;
  end(): Promise<{ exit: number | undefined; shown: string }>;
}

const LIMIT_MS = 100_000;
const QUESTION = /\[y\]es {2}\[n\]o {2}> $/;
const CODE = /^ {2}(\d{4} \d{4})$/m;

/** The guide's marked blocks in order. */
function blocksOf(guide: string): Block[] {
  const fences = guide.matchAll(/^```(\w+)\n(?:#|\/\/) (kitchen|desk)(?:: (\S+)|, (.+))?\n([\s\S]*?)^```$/gm);
  return [...fences].map(([, , machine, file, how, text = ""]) => ({
    machine: machine as Block["machine"],
    text,
    ...(file !== undefined && { file }),
    ...(how !== undefined && { how }),
  }));
}

/**
 * Plays the nodes guide: writes its files and types its commands on two users' terminals, with a real NATS
 * server.
 *
 * @param options.haft words of the command
 */
export async function playGuide(
  guide: string,
  { folder, haft, natsServer }: { folder: string; haft: readonly string[]; natsServer: string },
): Promise<Played> {
  const port = await freePort();
  const bin = join(folder, "bin");
  writeProgram(join(bin, "npx"), `shift\nexec ${haft.map(quoted).join(" ")} "$@"\n`);
  writeProgram(join(bin, "nats-server"), `exec ${quoted(natsServer)} "$@"\n`);
  const homes = { kitchen: join(folder, "kitchen"), desk: join(folder, "desk") };
  const cwds = { kitchen: join(homes.kitchen, "pantry"), desk: homes.desk };
  for (const path of Object.values(cwds)) mkdirSync(path, { recursive: true });
  writeFileSync(join(cwds.kitchen, "recipe.txt"), "two eggs, a cup of milk\n");
  const processes = new Terminals(folder);
  const said: Record<string, string> = {};
  const problems: string[] = [];
  const lines: string[] = [];
  const staying: Terminal[] = [];
  let waiting: Terminal | undefined;
  let count = 0;
  const open = (machine: Block["machine"], command: string) => {
    const env = { HOME: homes[machine], PATH: `${bin}:/usr/bin:/bin`, TERM: "xterm-256color", ...said };
    return openTerminal(processes, `terminal-${++count}`, { command, cwd: cwds[machine], env });
  };
  const show = (machine: Block["machine"], command: string, shown: string) =>
    void lines.push(`${machine}$ ${command}\n${shown.trimEnd()}\n`);
  const play = async ({ machine, how }: Block, command: string) => {
    const terminal = await open(machine, command);
    if (how === "and stays") {
      show(machine, command, await terminal.until(/Server is ready|until you press Ctrl-C/));
      staying.push(terminal);
    } else if (how === "and waits") {
      await terminal.until(/waits for a host/);
      waiting = terminal;
    } else if (/nodes pair/.test(command)) {
      const [there, here] = await Promise.all([waiting!.until(QUESTION), terminal.until(QUESTION)]);
      if (CODE.exec(there)?.[1] === undefined || CODE.exec(there)?.[1] !== CODE.exec(here)?.[1])
        problems.push(`two codes: ${there}, ${here}`);
      await waiting!.type("y\r");
      await terminal.type("y\r");
      const [node, host] = await Promise.all([waiting!.end(), terminal.end()]);
      show("kitchen", "npx haft nodes accept", node.shown);
      show(machine, command, host.shown);
      if (node.exit !== 0 || host.exit !== 0) problems.push(`${command}: ${node.exit} and ${host.exit}`);
    } else {
      const { exit, shown } = await terminal.end();
      show(machine, command, shown);
      if ((exit === 0) === (how === "and fails")) problems.push(`${command}: exit code ${exit}\n${shown}`);
      const [id] = /^U[A-Z2-7]{55}$/m.exec(shown) ?? [];
      if (command.endsWith("nodes offer") && id !== undefined) said["KITCHEN"] = id;
      const [, approval] = /approval there is (\w+)/.exec(shown) ?? [];
      if (approval !== undefined) said["ID"] = approval;
    }
  };
  try {
    for (const block of blocksOf(guide)) {
      const text = block.text.replaceAll("4222", `${port}`);
      if (block.file === undefined) {
        for (const command of text.trim().split("\n")) await play(block, command);
        continue;
      }
      const path = block.file.replace(/^~/, homes[block.machine]);
      const file = path.startsWith("/") ? path : join(cwds[block.machine], path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  } catch (thrown) {
    problems.push(String(thrown));
  } finally {
    await processes.close();
  }
  return { transcript: lines.join("\n"), problems };
}

async function openTerminal(
  all: Terminals,
  callerId: string,
  { command, cwd, env }: { command: string; cwd: string; env: Record<string, string> },
): Promise<Terminal> {
  const set = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const inFolder = ["/bin/sh", "-c", 'cd "$0" && exec "$@"', cwd];
  const argv = ["/usr/bin/env", "-i", ...set, ...inFolder, "/bin/bash", "--norc", "-c", command];
  const { id } = await all.start(callerId, { argv, pty: { cols: 110, rows: 40 }, stdin: "open" });
  let from = 0;
  let screen = "";
  const more = async (waitMs: number) => {
    const { chunks, next, state } = await all.read(id, from, { waitMs });
    from = next;
    for (const { bytes } of chunks) screen += Buffer.from(bytes).toString();
    return state === "running" || chunks.length > 0;
  };
  return {
    async until(wanted) {
      const end = Date.now() + LIMIT_MS;
      while (!wanted.test(toReadable(screen))) {
        if (Date.now() > end || !(await more(1_000)))
          throw new Error(`${command}: ${String(wanted)} never came:\n${toReadable(screen)}`);
      }
      return toReadable(screen);
    },
    async type(text) {
      await all.write(id, Buffer.from(text));
    },
    async end() {
      const end = Date.now() + LIMIT_MS;
      while (await more(1_000)) if (Date.now() > end) throw new Error(`${command}: it does not end`);
      const { exitCode } = await all.wait(id);
      return { exit: exitCode, shown: toReadable(screen) };
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function writeProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${text}`);
  chmodSync(path, 0o755);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
