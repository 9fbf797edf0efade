import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A server's specific arguments. */
export interface McpProgram {
  /** Words after `node`. @param folder its working folder */
  args(folder: string): string[];
  /** Additional variables. @param state its own folder */
  env?(state: string): Readonly<Record<string, string>>;
  /** Reads of a round. Default: 500. */
  reads?: number;
  /** @param nth of the process: some servers stop repeated calls */
  read: { name: string; args(path: string, nth: number): object };
  edit: { name: string; args(path: string, oldText: string, newText: string): object };
}

const SMALL = "small.txt";
const LARGE = "large.txt";
const LINE = "a line of text that is as long as lines of programs often are, or so\n";
const LARGE_BYTES = 10e6;
const READS = 500;
const EDITS = 10;

interface Answer {
  result?: { content?: unknown; isError?: boolean; tools?: Definition[] };
  error?: unknown;
  bytes: number;
}

interface Definition {
  name: string;
  description?: string;
  inputSchema: object;
}

/** A server with a minimal client. */
class Running {
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #id = 0;

  constructor(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, args, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
    this.child.setMaxListeners(0);
    let rest: Buffer[] = [];
    this.child.stdout!.on("data", (bytes: Buffer) => {
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10)) {
        const line = Buffer.concat([...rest, bytes.subarray(0, at)]);
        rest = [];
        bytes = bytes.subarray(at + 1);
        const message = JSON.parse(line.toString("utf8")) as Omit<Answer, "bytes"> & { id?: number };
        this.#waiting.get(message.id ?? -1)?.({ ...message, bytes: line.length });
      }
      rest.push(bytes);
    });
  }

  say(message: object): void {
    this.child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  request(method: string, params: object = {}): Promise<Answer> {
    const id = ++this.#id;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.set(id, resolve);
    this.child.once("close", () => reject(new Error(`The server ended while it was asked for ${method}.`)));
    this.say({ id, method, params });
    return promise.finally(() => this.#waiting.delete(id));
  }

  call(name: string, args: object): Promise<Answer> {
    return this.request("tools/call", { name, arguments: args });
  }

  async greet(): Promise<void> {
    const clientInfo = { name: "bench", version: "1" };
    await this.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    this.say({ method: "notifications/initialized" });
  }

  async end(): Promise<void> {
    const closed = once(this.child, "close");
    this.child.stdin!.end();
    await closed;
  }
}

export class McpWork {
  readonly #program: McpProgram;
  readonly #folder = mkdtempSync(join(tmpdir(), "haft-bench-mcp-"));
  readonly #state = mkdtempSync(join(tmpdir(), "haft-bench-mcp-state-"));
  #running: Running | undefined;
  #reads = 0;
  #rounds = 0;

  constructor(program: McpProgram) {
    this.#program = program;
    writeFileSync(this.#path(SMALL), LINE.repeat(20));
    writeFileSync(this.#path(LARGE), LINE.repeat(Math.ceil(LARGE_BYTES / LINE.length)));
  }

  /** Time from start to the first tool list, and memory. */
  async start(): Promise<{ time: number; memory: number }> {
    const begun = performance.now();
    const running = this.#start();
    await running.greet();
    await running.request("tools/list");
    const time = (performance.now() - begun) * 1e6;
    const status = readFileSync(`/proc/${running.child.pid}/status`, "utf8");
    await running.end();
    return { time, memory: Number(/VmRSS:\s+(\d+)/.exec(status)![1]) * 1024 };
  }

  /** Tool tokens of each turn (characters / 4), and the whole answer. */
  async tools(): Promise<{ tools: number; tokens: number; bytes: number }> {
    const running = await this.#ready();
    const { result, bytes } = checked(await running.request("tools/list"));
    const tools = result?.tools ?? [];
    const told = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    const characters = told.reduce((sum, one) => sum + JSON.stringify(one).length, 0);
    return { tools: tools.length, tokens: Math.round(characters / 4), bytes };
  }

  async reads(): Promise<{ p50: number; p99: number }> {
    const running = await this.#ready();
    const { read: tool, reads = READS } = this.#program;
    const times: number[] = [];
    for (let read = 0; read < reads; read++) {
      const begun = performance.now();
      checked(await running.call(tool.name, tool.args(this.#path(SMALL), this.#reads++)));
      times.push((performance.now() - begun) * 1e6);
    }
    const sorted = times.toSorted((one, other) => one - other);
    return { p50: sorted[Math.floor(reads / 2)]!, p99: sorted[Math.floor(reads * 0.99)]! };
  }

  /** Reads ten megabytes, and counts the sent bytes. */
  async large(): Promise<{ time: number; bytes: number }> {
    const running = await this.#ready();
    const { read: tool } = this.#program;
    const begun = performance.now();
    const { bytes } = checked(await running.call(tool.name, tool.args(this.#path(LARGE), this.#reads++)));
    return { time: (performance.now() - begun) * 1e6, bytes };
  }

  /** Ten parallel edits of one file: reported and real successes. */
  async edits(): Promise<{ reported: number; applied: number }> {
    const running = await this.#ready();
    const { edit: tool } = this.#program;
    const path = this.#path("edited.txt");
    // Some servers stop repeated calls.
    const round = this.#rounds++;
    const numbers = Array.from({ length: EDITS }, (_, at) => `${round}.${at}`);
    writeFileSync(path, numbers.map((at) => `before ${at};\n`).join(""));
    const calls = numbers.map((at) =>
      running.call(tool.name, tool.args(path, `before ${at};`, `after ${at};`)),
    );
    const answers = await Promise.all(calls);
    const text = readFileSync(path, "utf8");
    return {
      reported: answers.filter(({ error, result }) => error === undefined && result?.isError !== true).length,
      applied: numbers.filter((at) => text.includes(`after ${at};`)).length,
    };
  }

  async close(): Promise<void> {
    await this.#running?.end();
    for (const folder of [this.#folder, this.#state]) rmSync(folder, { recursive: true, force: true });
  }

  async #ready(): Promise<Running> {
    if (this.#running === undefined) {
      this.#running = this.#start();
      await this.#running.greet();
    }
    return this.#running;
  }

  #start(): Running {
    const env = { ...process.env, HAFT_STATE_DIR: this.#state, ...this.#program.env?.(this.#state) };
    return new Running(this.#program.args(this.#folder), this.#folder, env);
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

function checked(answer: Answer): Answer {
  if (answer.error !== undefined || answer.result?.isError === true)
    throw new Error(JSON.stringify(answer).slice(0, 500));
  return answer;
}
