import { getErrorMessage } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import type { Readable, Writable } from "node:stream";
import { createCallStates } from "./calls/call-state.ts";
import { McpConversation } from "./conversation.ts";
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
  given: StdioOptions = {},
): Promise<ServedStdio> {
  requireKnownOptions<StdioOptions>("serveStdio", given, {
    name: true,
    version: true,
    instructions: true,
    approvals: true,
    structured: true,
    onProblem: true,
    input: true,
    output: true,
  });
  const { input = process.stdin, output = process.stdout, ...options } = given;
  const loading = Promise.all([
    import("./line-transport.ts"),
    import("./create-mcp-server.ts"),
    import("./sdk.ts"),
  ]);
  const [{ LineTransport }, { createMcpServer }, sdk] = await loading;
  const conversation = new McpConversation(await source, options);
  const states = createCallStates();
  const transport = new LineTransport({ input, output, onProblem: options.onProblem });
  const handle = sdk.serveConnection(({ era }) => createMcpServer(conversation, { era, states }), {
    transport,
    onerror: (thrown) => options.onProblem?.(getErrorMessage(thrown)),
  });
  return {
    ended: transport.ended,
    toolsChanged: () => conversation.refreshTools(),
    async close() {
      await handle.close();
      await conversation.close();
    },
  };
}
