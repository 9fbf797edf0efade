import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { createIdentity, type Identity } from "../../src/index.ts";

/** How programs of the tests are started: what follows is a file, and its arguments. */
export const NODE = [process.execPath, "--conditions=@haft/source", "--no-warnings"] as const;
/** A node with commands of work, which writes down what ran: see there. */
export const NODE_PROGRAM = join(import.meta.dirname, "../nats/node-program.ts");

/** Starts a program that ends with the test. */
export function startProgram(path: string, ...words: string[]): ChildProcess {
  const [node, ...flags] = NODE;
  const child = spawn(node, [...flags, path, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => endProgram(child));
  return child;
}

async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Asks a program by lines of JSON, once it has said the first one: each answer has the number of its question, `at`. */
export async function createRequester(child: ChildProcess): Promise<(request: object) => Promise<string>> {
  const waiting = new Map<number, (answer: string) => void>();
  const answerOf = (at: number) => new Promise<string>((resolve) => waiting.set(at, resolve));
  createInterface({ input: child.stdout! }).on("line", (line) => {
    const { at, answer } = JSON.parse(line) as { at: number; answer: string };
    waiting.get(at)?.(answer);
  });
  await answerOf(-1);
  let count = 0;
  return (request) => {
    const at = count++;
    const answer = answerOf(at);
    child.stdin!.write(`${JSON.stringify({ at, ...request })}\n`);
    return answer;
  };
}

/** A file of lines that does not outlive the test. */
export function createLineFile(): { file: string; lines: () => string[] } {
  const folder = mkdtempSync(join(tmpdir(), "haft-node-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "ran");
  writeFileSync(file, "");
  return { file, lines: () => readFileSync(file, "utf8").split("\n").filter(Boolean) };
}

/** A node in a process of its own that knows these hosts, and what ran there. */
export async function startWorker(
  url: string,
  hosts: readonly string[],
  { identity = createIdentity(), ahead = 0 }: { identity?: Identity; ahead?: number } = {},
) {
  const { file, lines: ran } = createLineFile();
  const child = startProgram(NODE_PROGRAM, url, identity.seed, hosts.join(","), file, String(ahead));
  await once(child.stdout!, "data");
  return { process: child, id: identity.id, ran };
}
