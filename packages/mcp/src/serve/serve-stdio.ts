import { messageOf } from "@haft/core";
import type { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Readable, Writable } from "node:stream";
import { ownStates } from "./calls/call-state.ts";
import { Conversation } from "./conversation.ts";
import { IdsInUse, whyInUse } from "./ids-in-use.ts";
import { IncomingLines, type LongLine, MOST_OF_LINE } from "./incoming-lines.ts";
import type { ServeOptions, SessionSource } from "./session-source.ts";

/** Where a client is. */
export interface StdioOptions extends ServeOptions {
  /** What it says. Default: standard input. */
  input?: Readable;
  /** What it hears: messages, and nothing else. Default: standard output. */
  output?: Writable;
}

/** One client that is served. */
export interface ServedStdio {
  /** Resolves when the client has closed its end, or reads no more. */
  readonly ended: Promise<void>;
  /** Looks whether the tools are others now, and tells the client. Call it when rules or plugins have changed. */
  toolsChanged(): Promise<void>;
  /** Ends it: what runs is aborted, and the session closed. */
  close(): Promise<void>;
}

/**
 * Serves one session to the client at the other end of two streams, in whichever revision of the protocol it speaks. The session
 * is opened by the first call.
 *
 * @param source which session, or a promise of that: the library that speaks the protocol is loaded meanwhile
 */
export async function serveStdio(
  source: SessionSource | Promise<SessionSource>,
  { input = process.stdin, output = process.stdout, ...options }: StdioOptions = {},
): Promise<ServedStdio> {
  const loading = import("./server-for.ts");
  const sdk = await import("./sdk.ts");
  const { serverFor } = await loading;
  const conversation = new Conversation(await source, options);
  const states = ownStates();
  const ended = Promise.withResolvers<void>();
  const end = () => ended.resolve();
  const lines = new IncomingLines((line) => {
    refuse(output, line);
    options.onProblem?.(`A message of ${line.bytes} bytes was left out: ${MOST_OF_LINE} are taken.`);
  });
  lines.once("end", end);
  for (const event of ["close", "error"]) input.once(event, end);
  for (const event of ["close", "error"]) output.once(event, end);
  // A message that is too long for it would end the connection.
  const transport = new sdk.StdioServerTransport(lines, output, { maxBufferSize: 2 * MOST_OF_LINE });
  refuseIdsInUse(transport, output);
  const handle = sdk.serveConnection(({ era }) => serverFor(conversation, { era, states }), {
    transport,
    onerror(thrown) {
      if (!isNoMessage(thrown)) return options.onProblem?.(messageOf(thrown));
      // What is no message has no id to answer under.
      answerNonsense(output);
      options.onProblem?.("A line was no message of the protocol; it was answered with an error.");
    },
  });
  input.pipe(lines);
  return {
    ended: ended.promise,
    toolsChanged: () => conversation.lookAgain(),
    async close() {
      input.unpipe(lines).pause();
      await handle.close();
      await conversation.close();
      end();
    },
  };
}

/** Under its id the request that has it would be taken for answered. */
function refuseIdsInUse(transport: StdioServerTransport, output: Writable): void {
  const ids = new IdsInUse();
  ids.watch(transport);
  let listener: StdioServerTransport["onmessage"];
  const hear: typeof listener = (message) => {
    const inUse = ids.take([message]);
    if (inUse === undefined) listener?.(message);
    else answerError(output, null, -32_600, whyInUse(inUse));
  };
  Object.defineProperty(transport, "onmessage", {
    get: () => listener && hear,
    set(given: typeof listener) {
      listener = given;
    },
  });
}

function isNoMessage(thrown: unknown): boolean {
  const { name } = Object(thrown) as { name?: unknown };
  return name === "SyntaxError" || name === "ZodError" || name === "$ZodError";
}

function answerNonsense(output: Writable): void {
  answerError(output, null, -32_700, "This line is no message of JSON-RPC 2.0.");
}

function refuse(output: Writable, { bytes, id }: LongLine): void {
  const message = `This message has ${bytes} bytes, and at most ${MOST_OF_LINE} are taken. It was left out; say it in parts.`;
  answerError(output, id ?? null, -32_600, message);
}

function answerError(output: Writable, id: string | number | null, code: number, message: string): void {
  output.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })}\n`);
}
