import type { ProcessInfo, ProcessOutput, ProcessSpec } from "@haft/core";
import type { Fence } from "@haft/core/internal";
import { uptimeMs, RunnerError } from "@haft/system/processes";
import type { Readable, Writable } from "node:stream";
import { MAX_UPLOAD_BYTES } from "../defaults.ts";
import { type LocalFence, createLocalFence } from "../fence/remote-clock.ts";
import { readFrames, writeFrame } from "../wire/frames.ts";
import type {
  RunnerAnswerOptions,
  Begin,
  Cancel,
  DeferredStartOptions,
  Hello,
  OutputHead,
  Part,
  Reply,
  ReplyError,
  Request,
} from "../wire/protocol.ts";
import { PART_BYTES } from "../wire/protocol.ts";
import type { ProcessTable } from "./process-table.ts";

export interface Services {
  table: ProcessTable;
  files?: (
    op: string,
    args: unknown[],
    body: Uint8Array,
    around: { signal: AbortSignal; fence: Fence | undefined },
  ) => Promise<Answer>;
  network?: (op: string, args: unknown[], body: Uint8Array, signal: AbortSignal) => Promise<Answer>;
}

export interface Answer {
  value: unknown;
  output?: OutputHead;
  bodies: readonly Uint8Array[];
}

export interface RunnerServerOptions {
  hello: Hello;
  services: Services | ((settings: unknown) => Promise<Services & { answer: unknown }>);
  input: Readable;
  output: Writable;
  onEnd: () => void;
}

export function serveRunner({ hello, services, input, output, onEnd }: RunnerServerOptions): void {
  const pending = new Map<number, AbortController>();
  const held = new Map<number, (notAfter: number | undefined) => void>();
  const uploads = new Map<number, { parts: Uint8Array[]; size: number }>();
  let opened = typeof services === "function" ? undefined : services;
  writeFrame(output, hello);
  readFrames(
    input,
    ({ head, body }) => {
      if ("cancel" in head) {
        const { cancel } = head as unknown as Cancel;
        uploads.delete(cancel);
        pending.get(cancel)?.abort();
      } else if ("begin" in head) {
        const { begin, notAfter } = head as unknown as Begin;
        held.get(begin)?.(notAfter);
      } else if ("part" in head) {
        collect((head as unknown as Part).n, body);
      } else {
        const request = head as unknown as Request;
        void answer(request, wholeBody(request, body));
      }
    },
    onEnd,
  );

  function collect(n: number, part: Uint8Array): void {
    const upload = uploads.get(n) ?? { parts: [], size: 0 };
    uploads.set(n, upload);
    upload.size += part.length;
    // Counts further parts without storing them, until the request can be rejected.
    if (upload.size <= MAX_UPLOAD_BYTES) upload.parts.push(part);
    else upload.parts = [];
  }

  function wholeBody({ n, length }: Request, last: Uint8Array): Uint8Array | undefined {
    const upload = uploads.get(n);
    uploads.delete(n);
    if (length === undefined) return last;
    const whole = Buffer.concat([...(upload?.parts ?? []), last]);
    return whole.length === length ? whole : undefined;
  }

  async function answer(request: Request, body: Uint8Array | undefined): Promise<void> {
    const { n } = request;
    const controller = new AbortController();
    pending.set(n, controller);
    let reply: Reply;
    let bodies: readonly Uint8Array[] = [];
    try {
      const answered = await perform(request, body, controller.signal);
      const { value, output: brought } = answered;
      reply = { n, value, ...(brought !== undefined && { output: brought }) };
      bodies = await sendParts(n, answered.bodies);
    } catch (thrown) {
      reply = { n, error: describe(thrown) };
    }
    pending.delete(n);
    held.delete(n);
    writeFrame(output, reply, bodies);
  }

  function begun(n: number, signal: AbortSignal, fence: LocalFence | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    promise.catch(() => {});
    held.set(n, (notAfter) => {
      if (fence !== undefined) fence.endsAt = notAfter ?? fence.endsAt;
      resolve();
    });
    signal.addEventListener("abort", () =>
      reject(new RunnerError("RUNNER_UNAVAILABLE", "it was cancelled before it began")),
    );
    return promise;
  }

  async function perform(
    { n, op, args, notAfter }: Request,
    body: Uint8Array | undefined,
    signal: AbortSignal,
  ): Promise<Answer> {
    if (body === undefined) throw new Error("its body is incomplete or too large");
    if (op === "open" && opened === undefined && typeof services === "function") {
      const { answer: value, ...made } = await services(args[0]);
      opened = made;
      return { value, bodies: [] };
    }
    if (op === "clock") return { value: uptimeMs(), bodies: [] };
    if (opened === undefined) throw new Error("it is not open yet");
    const fence = notAfter === undefined ? undefined : createLocalFence(notAfter);
    if (op.startsWith("fs.") && opened.files !== undefined)
      return opened.files(op, args, body, { signal, fence });
    if (op.startsWith("net.") && opened.network !== undefined) return opened.network(op, args, body, signal);
    const isHeld = op === "start" && (args[2] as DeferredStartOptions | undefined)?.held === true;
    const ready = isHeld ? begun(n, signal, fence) : undefined;
    const value = await performOnTable(opened.table, op, args, body, { signal, ready, fence });
    if (op === "read") {
      const { head, bodies } = withoutBytes(value as ProcessOutput);
      return { value: head, bodies };
    }
    const wanted = op === "start" ? args[2] : op === "wait" ? args[1] : undefined;
    const { bringOutput = 0 } = (wanted ?? {}) as RunnerAnswerOptions;
    return bringOutput > 0
      ? withOutput(opened.table, value as ProcessInfo, bringOutput)
      : { value, bodies: [] };
  }

  async function sendParts(n: number, bodies: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    if (bodies.length !== 1 || bodies[0]!.length <= PART_BYTES) return bodies;
    let rest = bodies[0]!;
    for (; rest.length > PART_BYTES; rest = rest.subarray(PART_BYTES)) {
      const part: Part = { n, part: true };
      if (!writeFrame(output, part, [rest.subarray(0, PART_BYTES)])) {
        await new Promise((resolve) => output.once("drain", resolve));
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    return [rest];
  }
}

const PLAIN = ["identify", "info", "list", "closeStdin", "signal", "kill", "resize", "release", "close"];

function performOnTable(
  table: ProcessTable,
  op: string,
  args: unknown[],
  body: Uint8Array,
  {
    signal,
    ready,
    fence,
  }: {
    signal: AbortSignal;
    ready: Promise<void> | undefined;
    fence: Fence | undefined;
  },
): unknown {
  const [first, second, third] = args;
  const id = first as string;
  switch (op) {
    case "start":
      return table.start(id, second as ProcessSpec, { ...(third as object), signal, ready, fence });
    case "read":
      return table.read(id, second as number, { ...(third as object), signal });
    case "write":
      return table.write(id, body, { ...(second as object), ...(fence && { fence }) });
    case "wait":
      return table.wait(id, { ...(second as object), signal });
    default:
      fence?.check();
      return performPlain(table, PLAIN, op, args);
  }
}

export function performPlain(port: object, plain: readonly string[], op: string, args: unknown[]): unknown {
  if (!plain.includes(op)) throw new Error(`there is no operation ${JSON.stringify(op)}`);
  const methods = port as Readonly<Record<string, (...args: unknown[]) => unknown>>;
  return methods[op.replace(/^fs\./, "")]!(...args);
}

function withoutBytes(output: ProcessOutput): { head: OutputHead; bodies: readonly Uint8Array[] } {
  const chunks = output.chunks.map(({ stream, offset, bytes }) => ({ stream, offset, length: bytes.length }));
  return { head: { ...output, chunks }, bodies: output.chunks.map(({ bytes }) => bytes) };
}

async function withOutput(table: ProcessTable, value: ProcessInfo, most: number): Promise<Answer> {
  const { id, state, output } = value;
  if (state === "running" || output.total === 0 || output.total > most) return { value, bodies: [] };
  const { head, bodies } = withoutBytes(await table.read(id, 0, { max: most }));
  return { value, output: head, bodies };
}

/** Detects coded errors by their category, because this program need not load the class. */
function describe(thrown: unknown): ReplyError {
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown instanceof RunnerError) return { code: thrown.code, why };
  const { code, category, fix, details, receipt } = (thrown ?? {}) as Partial<ReplyError>;
  if (typeof code !== "string" || typeof category !== "string") return { why };
  return { code, why, category, fix, details, receipt };
}
