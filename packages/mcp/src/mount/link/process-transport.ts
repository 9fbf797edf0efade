import { HaftError, type Processes, type ProcessInfo, type ProcessOutput, getErrorMessage } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { randomUUID } from "node:crypto";
import { answeredId, MessageLines } from "../../message-lines.ts";
import type { McpProgram } from "../server.ts";

/** Bytes of one message: an answer that is larger is lost, and the server goes on. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Bytes that wait to be read. */
const RING = 32 * 1024 * 1024;
const ON_DISK = 32 * 1024 * 1024;
/** Bytes that a server may write while nobody asked it for anything. */
const MAX_UNSOLICITED_BYTES = 64 * 1024 * 1024;
/** Characters of what it wrote on standard error, or where messages belong, that are kept for people. */
const LAST_WORDS = 2_000;
const END_GRACE_MS = 1_000;
const READ_WAIT_MS = 30_000;
const READ_MOST = 1024 * 1024;

interface ProcessTransportOptions {
  name: string;
  program: McpProgram;
  processes: Processes;
  lost: (why: string, id?: number | string) => void;
}

export class ProcessTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  /** These two tell the SDK that one process is at the other end. */
  readonly stderr = null;
  readonly pid = null;
  readonly #options: ProcessTransportOptions;
  readonly #lines = new MessageLines(MAX_MESSAGE_BYTES);
  readonly #stop = new AbortController();
  #reading: Promise<void> | undefined;
  #id: string | undefined;
  #said = "";
  #unasked = 0;
  #end: ProcessInfo | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ProcessTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { program, processes } = this.#options;
    const { command, args = [], env, cwd } = program;
    const info = await processes.start(
      `mcp ${randomUUID()}`,
      withoutUndefined({
        argv: [command, ...args],
        env,
        cwd,
        stdin: "open" as const,
        output: { ringBytes: RING, spoolBytes: ON_DISK },
        killGraceMs: END_GRACE_MS,
      }),
    );
    this.#id = info.id;
    if (this.#closing !== undefined) {
      // It was given up meanwhile, when there was nothing to end yet.
      await this.#endProgram(info.id);
      throw closed();
    }
    this.#reading = this.#read(info.id);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#id === undefined || this.#end !== undefined || this.#closing !== undefined) throw closed();
    this.#unasked = 0;
    try {
      await this.#options.processes.write(this.#id, Buffer.from(`${JSON.stringify(message)}\n`));
    } catch (thrown) {
      if (!HaftError.is(thrown) || thrown.code !== "STDIN_CLOSED") throw thrown;
      // It has ended, or is about to; then it is known how, and what it said last.
      const { state } = await this.#options.processes.wait(this.#id, { timeoutMs: END_GRACE_MS });
      if (state !== "running") await this.#reading;
      throw closed();
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  get hasEnded(): boolean {
    return this.#end !== undefined && this.#end.reason !== "killed";
  }

  /** How it ended, as the end of a sentence, and its last words. Empty while it runs and says nothing. */
  getStderrTail(): string {
    const { reason, exitCode, signal, state, outOfMemory } = this.#end ?? {};
    const end =
      state === undefined || reason === "killed"
        ? ""
        : outOfMemory !== undefined
          ? " It had no memory left."
          : signal !== undefined
            ? ` It was ended by ${signal}.`
            : exitCode !== undefined
              ? ` It ended with exit code ${exitCode}.`
              : " How it ended is not known.";
    const said = this.#said.trim();
    return said === "" ? end : `${end} It wrote: ${said}`;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    if (this.#id !== undefined) await this.#endProgram(this.#id);
    this.onclose?.();
  }

  async #endProgram(id: string): Promise<void> {
    const { processes } = this.#options;
    try {
      // A server of good manners ends with its input.
      await processes.closeStdin(id).catch(() => {});
      await processes.wait(id, { timeoutMs: END_GRACE_MS });
      this.#end ??= await processes.kill(id, { graceMs: END_GRACE_MS });
      await processes.release(id);
    } catch {
      // It went with the place it ran in.
    }
  }

  async #read(id: string): Promise<void> {
    const { processes } = this.#options;
    let from = 0;
    try {
      for (;;) {
        const { signal } = this.#stop;
        const output = await processes.read(id, from, { max: READ_MOST, waitMs: READ_WAIT_MS, signal });
        from = await this.#take(output, from);
        if (output.state !== "running" && output.next >= output.total) break;
      }
      this.#end = await processes.info(id);
    } catch (thrown) {
      if (!this.#stop.signal.aborted) this.#say(getErrorMessage(thrown));
    }
    if (this.#closing === undefined) await this.close();
  }

  async #take({ chunks, next }: ProcessOutput, from: number): Promise<number> {
    let at = from;
    for (const { stream, offset, bytes } of chunks) {
      if (offset > at) this.#missed();
      at = offset + bytes.length;
      if (stream === "stderr") {
        this.#say(Buffer.from(bytes).toString());
        continue;
      }
      this.#unasked += bytes.length;
      for (const line of this.#lines.push(bytes)) {
        if (line.kind === "too long") this.#tooLong(line);
        else if (this.#message(line.text)) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    if (next > at) this.#missed();
    if (this.#unasked > MAX_UNSOLICITED_BYTES) {
      this.#say(`more than ${MAX_UNSOLICITED_BYTES} bytes without being asked`);
      void this.close();
    }
    return next;
  }

  /** @returns whether it is no answer, and whoever hears it needs a moment: an answer behind it would overtake it */
  #message(text: string): boolean {
    const line = text.trim();
    if (line === "") return false;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      // Programs print where messages belong.
      this.#say(`${line}\n`);
      return false;
    }
    if ((message as { jsonrpc?: unknown } | null)?.jsonrpc !== "2.0") {
      this.#say(`${line}\n`);
      return false;
    }
    try {
      this.onmessage?.(message as JSONRPCMessage);
    } catch (thrown) {
      this.onerror?.(thrown instanceof Error ? thrown : new Error(getErrorMessage(thrown)));
    }
    return "method" in (message as object);
  }

  #tooLong(line: { bytes: number; head: string; tail: string }): void {
    this.#options.lost(
      `An answer has ${line.bytes} bytes, and ${MAX_MESSAGE_BYTES} are taken.`,
      answeredId(line),
    );
  }

  /** It wrote more than could be kept until somebody read it. */
  #missed(): void {
    this.#lines.skip();
    this.#options.lost("The server wrote faster than it could be read, and a part of that is lost.");
  }

  #say(text: string): void {
    this.#said = `${this.#said}${text}`.slice(-LAST_WORDS);
  }
}

function closed(): Error {
  return Object.assign(new Error("the server does not run any more"), { code: "connection_closed" });
}
