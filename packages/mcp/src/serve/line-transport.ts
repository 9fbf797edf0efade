import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import type { Readable, Writable } from "node:stream";
import { MessageLines, readId } from "../message-lines.ts";
import { PendingRequestIds, describeDuplicateId } from "./pending-request-ids.ts";
import * as sdk from "./sdk.ts";

/** Bytes of a message, including its line end. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;

interface LineTransportOptions {
  input: Readable;
  output: Writable;
  onProblem?: ((problem: string) => void) | undefined;
}

/**
 * Transports one message per line. Invalid or oversized messages and duplicate ids get an error, while the
 * SDK's transport ends at the second oversized line.
 */
export class LineTransport implements Transport {
  onclose: (() => void) | undefined;
  onerror: ((error: Error) => void) | undefined;
  onmessage: Transport["onmessage"];
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #onProblem: (problem: string) => void;
  readonly #lines = new MessageLines(MAX_LINE_BYTES - 1);
  readonly #ids = new PendingRequestIds();
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;

  constructor({ input, output, onProblem = () => {} }: LineTransportOptions) {
    this.#input = input;
    this.#output = output;
    this.#onProblem = onProblem;
  }

  /** Resolves when either stream has ended, or this transport is closed. */
  get ended(): Promise<void> {
    return this.#closed.promise;
  }

  async start(): Promise<void> {
    const end = () => void this.close();
    this.#input.on("data", this.#receive).once("end", end);
    // An unhandled error event ends the process.
    for (const stream of [this.#input, this.#output]) stream.once("close", end).on("error", end);
    // An ended stream emits no more events.
    if (this.#input.readableEnded || this.#input.destroyed || this.#output.destroyed) setImmediate(end);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error("The client is disconnected.");
    this.#ids.answered(message);
    await new Promise<void>((resolve, reject) => {
      this.#output.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.off("data", this.#receive).pause();
    this.#closed.resolve();
    this.onclose?.();
  }

  readonly #receive = (bytes: Buffer) => {
    for (const line of this.#lines.push(bytes)) {
      if (this.#isClosed) return;
      if (line.kind === "line") this.#take(line.text);
      else this.#refuseLong(line.bytes + 1, requestIn(line.head, line.tail));
    }
  };

  #take(text: string): void {
    if (text.trim() === "") return;
    const message = messageIn(text);
    if (message === undefined) {
      this.#refuse(null, -32_700, "This line is not a JSON-RPC 2.0 message.");
      return this.#onProblem("A line was not a protocol message; it was answered with an error.");
    }
    const inUse = this.#ids.take([message]);
    if (inUse === undefined) this.onmessage?.(message);
    else this.#refuse(null, -32_600, describeDuplicateId(inUse));
  }

  #refuseLong(bytes: number, id: string | number | undefined): void {
    const why = `This message has ${bytes} bytes; the limit is ${MAX_LINE_BYTES}. It was dropped; send it in parts.`;
    this.#refuse(id ?? null, -32_600, why);
    this.#onProblem(`A message of ${bytes} bytes was dropped; the limit is ${MAX_LINE_BYTES}.`);
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`);
  }
}

function messageIn(text: string): JSONRPCMessage | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // The SDK's schema would slow every start.
  const { id, method } = Object(value) as { id?: unknown; method?: unknown };
  const isOne =
    method === undefined
      ? sdk.isJSONRPCResponse
      : id === undefined
        ? sdk.isJSONRPCNotification
        : sdk.isJSONRPCRequest;
  return isOne(value) ? value : undefined;
}

const FIRST = /^\s*\{\s*/;
const MEMBER = /"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*,\s*/y;
const LAST_MEMBER = /,\s*"(\w+)"\s*:\s*("[^"\\]*"|-?\d+)\s*$/;

/** Finds a request's id in top-level members at both ends; quotes inside strings have a backslash. */
function requestIn(head: string, tail: string): string | number | undefined {
  const members: Record<string, string> = {};
  MEMBER.lastIndex = FIRST.exec(head)?.[0].length ?? head.length;
  for (let found; (found = MEMBER.exec(head)) !== null;) members[found[1]!] = found[2]!;
  let rest = tail.replace(/\s*\}\s*$/, "");
  for (let found; (found = LAST_MEMBER.exec(rest)) !== null; rest = rest.slice(0, found.index))
    members[found[1]!] ??= found[2]!;
  const { id, method } = members;
  return method === undefined ? undefined : readId(id);
}
