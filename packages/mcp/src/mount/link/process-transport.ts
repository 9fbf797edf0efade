import { HaftError, type Processes, type ProcessInfo, type ProcessOutput, getErrorMessage } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { randomUUID } from "node:crypto";
import { answeredId, MessageLines } from "../../message-lines.ts";
import type { McpProgram } from "../server.ts";

/** Bytes of a message. Larger answers are dropped; the server continues. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Bytes of unread output in memory. */
const RING = 32 * 1024 * 1024;
const ON_DISK = 32 * 1024 * 1024;
/** Bytes that a server may write unrequested. */
const MAX_UNSOLICITED_BYTES = 64 * 1024 * 1024;
/** Characters of standard error and other output stored for error messages. */
const LAST_WORDS = 2_000;
const END_GRACE_MS = 1_000;
const READ_WAIT_MS = 30_000;
const READ_MOST = 1024 * 1024;

interface ProcessTransportOptions {
  name: string;
  program: McpProgram;
  processes: Processes;
  setsVariables?: boolean | undefined;
  lost: (why: string, id?: number | string) => void;
}

export class ProcessTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  /** Makes the SDK treat the server as one process. */
  readonly stderr = null;
  readonly pid = null;
  readonly #options: ProcessTransportOptions;
  readonly #lines = new MessageLines(MAX_MESSAGE_BYTES);
  readonly #stop = new AbortController();
  #reading: Promise<void> | undefined;
  #id: string | undefined;
  #printed = "";
  #unasked = 0;
  #end: ProcessInfo | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ProcessTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { program, processes, setsVariables = false } = this.#options;
    const { command, args = [], env, cwd } = program;
    const info = await processes.start(
      `mcp ${randomUUID()}`,
      withoutUndefined({
        argv: [command, ...args],
        env: setsVariables ? undefined : env,
        cwd,
        stdin: "open" as const,
        output: { ringBytes: RING, spoolBytes: ON_DISK },
        killGraceMs: END_GRACE_MS,
      }),
    );
    this.#id = info.id;
    if (this.#closing !== undefined) {
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
      // The exit status and remaining output are still missing.
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

  /** Returns the end of the process and its last output as sentences. */
  getStderrTail(): string {
    const { reason, exitCode, signal, state, outOfMemory } = this.#end ?? {};
    const end =
      state === undefined || reason === "killed"
        ? ""
        : outOfMemory !== undefined
          ? " It ran out of memory."
          : signal !== undefined
            ? ` It was ended by ${signal}.`
            : exitCode !== undefined
              ? ` It ended with exit code ${exitCode}.`
              : " The reason is unknown.";
    const printed = this.#printed.trim();
    return printed === "" ? end : `${end} It wrote: ${printed}`;
  }

  async #close(): Promise<void> {
    this.#stop.abort();
    if (this.#id !== undefined) await this.#endProgram(this.#id);
    this.onclose?.();
  }

  async #endProgram(id: string): Promise<void> {
    const { processes } = this.#options;
    try {
      // A well-behaved server exits at the end of its input.
      await processes.closeStdin(id).catch(() => {});
      await processes.wait(id, { timeoutMs: END_GRACE_MS });
      this.#end ??= await processes.kill(id, { graceMs: END_GRACE_MS });
      await processes.release(id);
    } catch {
      // The process ended with its environment.
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
      this.#say(`more than ${MAX_UNSOLICITED_BYTES} bytes without a request`);
      void this.close();
    }
    return next;
  }

  /** @returns true if the reader must yield, so that a later answer does not overtake this request or notification */
  #message(text: string): boolean {
    const line = text.trim();
    if (line === "") return false;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      // Programs print other text to the protocol's stream.
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
      `An answer has ${line.bytes} bytes; the limit is ${MAX_MESSAGE_BYTES}.`,
      answeredId(line),
    );
  }

  #missed(): void {
    this.#lines.skip();
    this.#options.lost("Its output was too fast to read, so a part is lost.");
  }

  #say(text: string): void {
    this.#printed = `${this.#printed}${text}`.slice(-LAST_WORDS);
  }
}

function closed(): Error {
  return Object.assign(new Error("the server no longer runs"), { code: "connection_closed" });
}
