import { messageOf } from "@haft/core";
import type { Readable, Writable } from "node:stream";
import { ownStates } from "./calls/call-state.ts";
import { Conversation } from "./conversation.ts";
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
  for (const event of ["end", "close", "error"]) input.once(event, end);
  for (const event of ["close", "error"]) output.once(event, end);
  const transport = new sdk.StdioServerTransport(input, output);
  const handle = sdk.serveConnection(({ era }) => serverFor(conversation, { era, states }), {
    transport,
    onerror(thrown) {
      if (!isNoMessage(thrown)) return options.onProblem?.(messageOf(thrown));
      // What is no message has no id to answer under.
      answerNonsense(output);
      options.onProblem?.("A line was no message of the protocol; it was answered with an error.");
    },
  });
  // A message that is too long ends the connection while both streams are open.
  const { onclose } = transport;
  // It has no events, and one listener.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  transport.onclose = () => {
    onclose?.();
    end();
  };
  return {
    ended: ended.promise,
    toolsChanged: () => conversation.lookAgain(),
    async close() {
      await handle.close();
      await conversation.close();
      end();
    },
  };
}

function isNoMessage(thrown: unknown): boolean {
  const { name } = Object(thrown) as { name?: unknown };
  return name === "SyntaxError" || name === "ZodError" || name === "$ZodError";
}

function answerNonsense(output: Writable): void {
  const error = { code: -32_700, message: "This line is no message of JSON-RPC 2.0." };
  output.write(`${JSON.stringify({ jsonrpc: "2.0", id: null, error })}\n`);
}
