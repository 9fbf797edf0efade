import { getErrorMessage } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import type { Readable, Writable } from "node:stream";
import { createCallStates } from "./calls/call-state.ts";
import { McpConversation } from "./conversation.ts";
import type { ServeOptions, SessionSource } from "./session-source.ts";

/**
 * Configures {@link serveStdio}.
 *
 * @example
 * ```ts
 * import type { StdioOptions } from "@haft/mcp";
 * import { PassThrough } from "node:stream";
 * const options: StdioOptions = { name: "shop-tools", input: new PassThrough(), output: new PassThrough() };
 * ```
 */
export interface StdioOptions extends ServeOptions {
  /** Contains the client's messages. Default: standard input. */
  input?: Readable;
  /** Receives messages to the client and nothing else. Default: standard output. */
  output?: Writable;
}

/**
 * Controls a connection to one client.
 *
 * @example
 * ```ts
 * import type { ServedStdio } from "@haft/mcp";
 * declare const served: ServedStdio;
 * await Promise.race([served.ended, new Promise((stop) => process.once("SIGINT", stop))]);
 * await served.close();
 * ```
 */
export interface ServedStdio {
  /** Resolves when the client has closed its stream or reads no more. */
  readonly ended: Promise<void>;
  /** Notifies the client if the tools differ from the announced list. */
  toolsChanged(): Promise<void>;
  /** Ends the connection: aborts running calls and closes the session. */
  close(): Promise<void>;
}

/**
 * Serves one session to a client over two streams, in either revision of MCP. The first call opens the
 * session.
 *
 * @param source the source of the session, or a promise: the MCP library loads in the meantime
 *
 * @example
 * ```ts
 * import { serveStdio, type SessionSource } from "@haft/mcp";
 * declare const source: Promise<SessionSource>;
 * const client = await serveStdio(source, { onProblem: (message) => console.error(message) });
 * await client.ended;
 * await client.close();
 * ```
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
