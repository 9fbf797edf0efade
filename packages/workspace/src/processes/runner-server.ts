import type { Readable, Writable } from "node:stream";
import type { ProcessOutput, ProcessSpec, TerminalSize } from "@haft/core";
import type { Frame } from "./frames.ts";
import { readFrames, writeFrame } from "./frames.ts";
import type { ProcessTable } from "./process-table.ts";
import { RunnerError } from "./runner-error.ts";
import type { Cancel, OutputHead, Reply, Request } from "./runner-protocol.ts";
import { PROTOCOL_VERSION } from "./runner-protocol.ts";

/** Answers the calls that arrive on a stream, in the order in which their answers are there. */
export function serveProcesses(
  table: ProcessTable,
  input: Readable,
  output: Writable,
  onEnd: () => void,
): void {
  const pending = new Map<number, AbortController>();
  writeFrame(output, { hello: PROTOCOL_VERSION });
  readFrames(
    input,
    ({ head, body }) => {
      if ("cancel" in head) {
        pending.get((head as unknown as Cancel).cancel)?.abort();
        return;
      }
      void answer(head as unknown as Request, body);
    },
    onEnd,
  );

  async function answer(request: Request, body: Frame["body"]): Promise<void> {
    const { n } = request;
    const controller = new AbortController();
    pending.set(n, controller);
    const reply: Reply = { n };
    let bodies: Uint8Array[] = [];
    try {
      const value = await perform(table, request, body, controller.signal);
      if (request.op === "read") [reply.value, bodies] = withoutBytes(value as ProcessOutput);
      else reply.value = value;
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      reply.error = { code: thrown instanceof RunnerError ? thrown.code : undefined, why };
    }
    pending.delete(n);
    writeFrame(output, { ...reply }, bodies);
  }
}

function perform(table: ProcessTable, { op, args }: Request, body: Uint8Array, signal: AbortSignal): unknown {
  const [first, second, third] = args;
  const id = first as string;
  switch (op) {
    case "start":
      return table.start(id, second as ProcessSpec, { ...(third as object), signal });
    case "identify":
      return table.identify(...(args as Parameters<ProcessTable["identify"]>));
    case "info":
      return table.info(id);
    case "list":
      return table.list();
    case "read":
      return table.read(id, second as number, { ...(third as object), signal });
    case "write":
      return table.write(id, body, second as { waitMs?: number });
    case "closeStdin":
      return table.closeStdin(id);
    case "signal":
      return table.signal(id, second as string, third as { tree?: boolean });
    case "kill":
      return table.kill(id, second as { graceMs?: number });
    case "resize":
      return table.resize(id, second as TerminalSize);
    case "wait":
      return table.wait(id, { ...(second as object), signal });
    case "release":
      return table.release(id);
    case "close":
      return table.close(first as number);
    default:
      throw new Error(`there is no operation ${JSON.stringify(op)}`);
  }
}

function withoutBytes(output: ProcessOutput): [OutputHead, Uint8Array[]] {
  const chunks = output.chunks.map(({ stream, offset, bytes }) => ({ stream, offset, length: bytes.length }));
  return [{ ...output, chunks }, output.chunks.map(({ bytes }) => bytes)];
}
