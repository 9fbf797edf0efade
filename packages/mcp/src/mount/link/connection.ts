import { type HaftError, type Logger, getErrorMessage } from "@haft/core";
import { withoutUndefined, untilAborted } from "@haft/utils";
import type { CallToolResult, Client, Transport } from "@modelcontextprotocol/client";
import { pathToFileURL } from "node:url";
import { mcpError } from "../../errors.ts";
import type { ServerEnvironment } from "../server-environment.ts";
import { isServerAddress, type McpEra, type McpServer } from "../server.ts";
import type { McpToolDefinition } from "../tool-definition.ts";
import { createOAuthProvider } from "./credentials.ts";
import { explainLinkFailure } from "./explain-failure.ts";
import { type HttpEvents, httpTransport } from "./http-transport.ts";
import { ProcessTransport } from "./process-transport.ts";
import { watchTransport } from "./watch-transport.ts";

export interface Connection {
  readonly era: McpEra | undefined;
  readonly info: { name: string; version?: string } | undefined;
  readonly instructions: string | undefined;
  /** Methods that the server requested. All except roots were refused. */
  readonly clientRequests: ReadonlySet<string>;
  tools(signal?: AbortSignal): Promise<readonly unknown[]>;
  call(
    definition: McpToolDefinition,
    args: Record<string, unknown>,
    options: CallOptions,
  ): Promise<CallToolResult>;
  ping(timeoutMs: number): Promise<boolean>;
  /** Returns the environment's new notices (such as unreachable hosts) as sentences. */
  notices(): readonly string[];
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

interface CallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  onProgress?: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

interface ConnectOptions {
  place: ServerEnvironment;
  logger: Pick<Logger, "debug" | "warn">;
  onToolsChanged?: () => void;
  signal?: AbortSignal | undefined;
}

const DEFAULT_START_MS = 30_000;
/** Short, because older servers may not answer the 2026 probe. */
const PROBE_MS = 3_000;
/** Applies even while the server reports progress. */
const LONGEST_CALL_MS = 30 * 60_000;
const MAX_PAGES = 64;
const MAX_TOOLS = 1_000;
const CLIENT = { name: "haft", version: "1" };
/** The caller validates instead of the SDK. */
const ANYTHING = {
  "~standard": { version: 1 as const, vendor: "haft", validate: (value: unknown) => ({ value }) },
};

export async function connect(server: McpServer, options: ConnectOptions): Promise<Connection> {
  const { startTimeoutMs: timeout = DEFAULT_START_MS } = server;
  // Limits the whole start; the SDK limits each request.
  const start = { timeout, late: AbortSignal.timeout(timeout), hasEnded: false };
  try {
    return await connectOnce(server, options, server.era === "legacy" ? "legacy" : "auto", start);
  } catch (thrown) {
    // Some older servers exit at the 2026 probe.
    if (!start.hasEnded || start.late.aborted || server.era === "legacy" || options.signal?.aborted === true)
      throw thrown;
    return connectOnce(server, options, "legacy", start);
  }
}

async function connectOnce(
  server: McpServer,
  { place: environment, logger, onToolsChanged, signal }: ConnectOptions,
  mode: "auto" | "legacy",
  start: { timeout: number; late: AbortSignal; hasEnded: boolean },
): Promise<Connection> {
  const { name } = server;
  const { timeout, late } = start;
  const { Client: SdkClient } = await import("@modelcontextprotocol/client");
  const requested = new Set<string>();
  const client = new SdkClient(CLIENT, {
    capabilities: environment.root === undefined ? {} : { roots: {} },
    versionNegotiation: { mode, probe: { timeoutMs: Math.min(PROBE_MS, timeout / 2) } },
  });
  answerQuestions(client, requested, environment.root);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it has no other
  client.onerror = (error) => logger.debug(`The MCP server ${name}: ${error.message}`);
  let broken: HaftError | undefined;
  const { transport, lastWords, hasEnded } = await transportFor(server, environment, {
    lost: (why, id) => watch.fail(mcpError("MCP_ANSWER_TOO_LARGE", `The server ${name}: ${why}`), id),
    broken(error) {
      broken ??= error;
      void client.close();
    },
    refused: (error, id) => watch.fail(error, id),
    streamEnded: () => onToolsChanged?.(),
  });
  const watch = watchTransport(transport);
  const ended = Promise.withResolvers<void>();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- likewise
  client.onclose = () => ended.resolve();
  const refused = () => environment.processes?.notices?.() ?? [];
  const failure = (thrown: unknown, when: "start" | "call") =>
    broken ?? explainLinkFailure(thrown, { name, when, timeoutMs: timeout, words: lastWords, refused });
  const stop = AbortSignal.any(signal === undefined ? [late] : [late, signal]);
  try {
    // The SDK's probe ignores the signal.
    await untilAborted(client.connect(transport, { timeout, signal: stop }), stop);
  } catch (thrown) {
    start.hasEnded = hasEnded();
    const isLate = late.aborted;
    await transport.close().catch(() => {});
    if (signal?.aborted === true) throw givenUp(name, signal);
    throw failure(isLate ? { code: "request_timeout" } : thrown, "start");
  }
  const hasTools = client.getServerCapabilities()?.tools;
  client.setNotificationHandler("notifications/tools/list_changed", () => onToolsChanged?.());
  // Only subscribers receive a modern server's changes.
  if (client.getProtocolEra() === "modern" && hasTools?.listChanged === true)
    // A signal passed here would also end the subscription.
    await untilAborted(client.listen({ toolsListChanged: true }, { timeout: PROBE_MS }), stop).then(
      // Another server may answer now. Without a session, the next call opens a connection.
      ({ closed }) => void closed.then((by) => by === "local" || ended.resolve()),
      (error: unknown) =>
        logger.debug(`The MCP server ${name} does not announce changes: ${getErrorMessage(error)}`),
    );
  return {
    era: client.getProtocolEra(),
    info: client.getServerVersion(),
    instructions: client.getInstructions(),
    clientRequests: requested,
    async tools(until) {
      if (hasTools === undefined) return [];
      const all = new ToolList();
      let cursor: string | undefined;
      const cursors = new Set<string>();
      try {
        for (let page = 0; page < MAX_PAGES; page++) {
          const answer = (await client.request(
            { method: "tools/list", ...(cursor !== undefined && { params: { cursor } }) },
            ANYTHING as never,
            withoutUndefined({ timeout, signal: until }),
          )) as { nextCursor?: unknown };
          all.add(watch.takeTools());
          cursor = typeof answer?.nextCursor === "string" ? answer.nextCursor : undefined;
          if (cursor === undefined || all.tools.length > MAX_TOOLS) break;
          if (cursor === "" || cursors.has(cursor)) {
            logger.warn(
              `The MCP server ${name} repeats the cursor ${JSON.stringify(cursor)}. The list of its tools ends there.`,
            );
            break;
          }
          cursors.add(cursor);
        }
      } catch (thrown) {
        if (until?.aborted === true) throw givenUp(name, until);
        throw failure(thrown, "start");
      }
      if (all.tools.length > MAX_TOOLS)
        throw mcpError("MCP_SERVER_UNAVAILABLE", `The server ${name} lists more than ${MAX_TOOLS} tools.`);
      return all.tools;
    },
    async call(
      { outputSchema: _unchecked, ...definition },
      args,
      { signal: cancelled, timeoutMs, onProgress },
    ) {
      try {
        const result = await client.callTool(
          { name: definition.name, arguments: args },
          withoutUndefined({
            signal: cancelled,
            timeout: timeoutMs,
            maxTotalTimeout: Math.max(LONGEST_CALL_MS, timeoutMs),
            resetTimeoutOnProgress: true,
            onprogress: onProgress,
            toolDefinition: definition as never,
          }),
        );
        await environment.settle?.();
        return result;
      } catch (thrown) {
        if (cancelled.aborted) throw cancelled.reason;
        throw (
          broken ??
          explainLinkFailure(thrown, {
            name,
            when: "call",
            timeoutMs,
            words: lastWords,
            refused,
            asked: [...requested],
          })
        );
      }
    },
    ping: (timeoutMs) =>
      client.getProtocolEra() === "modern"
        ? client.discover({ timeout: timeoutMs }).then(
            () => true,
            () => false,
          )
        : client.ping({ timeout: timeoutMs }).then(
            () => true,
            () => false,
          ),
    notices: refused,
    ended: ended.promise,
    close: () => client.close(),
  };
}

/** A tool that a later page repeats without a difference counts once. */
class ToolList {
  readonly tools: unknown[] = [];
  readonly #known = new Set<string>();

  add(page: readonly unknown[]): void {
    for (const tool of page) {
      const key = JSON.stringify(tool);
      if (this.#known.has(key)) continue;
      this.#known.add(key);
      this.tools.push(tool);
    }
  }
}

function givenUp(name: string, { reason }: AbortSignal): HaftError {
  return mcpError(
    "MCP_SERVER_UNAVAILABLE",
    `The wait for the server ${name} was aborted: ${getErrorMessage(reason)}`,
  );
}

/** Refuses and records the server's requests to its client, except `roots/list`. */
function answerQuestions(client: Client, requested: Set<string>, root: string | undefined): void {
  if (root !== undefined)
    client.setRequestHandler("roots/list", () => {
      requested.add("roots/list");
      return { roots: [{ uri: pathToFileURL(root).href, name: "workspace" }] };
    });
  client.fallbackRequestHandler = ({ method }) => {
    requested.add(method);
    const error = new Error(
      `Haft does not answer ${method}: it passes no requests of servers to users or models. Continue without an answer, or return an error that names the missing input.`,
    );
    throw Object.assign(error, { code: -32_601 });
  };
}

interface Losses {
  lost: (why: string, id?: number | string) => void;
  broken: (error: HaftError) => void;
  refused: HttpEvents["refused"];
  streamEnded: HttpEvents["streamEnded"];
}

async function transportFor(
  { name, reach }: McpServer,
  { processes, setsVariables, network, credentials }: ServerEnvironment,
  { lost, broken, refused, streamEnded }: Losses,
): Promise<{ transport: Transport; lastWords: () => string; hasEnded: () => boolean }> {
  if (isServerAddress(reach)) {
    if (network === undefined)
      throw mcpError(
        "MCP_OPTIONS_INVALID",
        `The server ${name} has an address, but its environment has no network.`,
        {
          fix: "Return an environment with a network from the option `environment` of mountMcp.",
        },
      );
    const auth = credentials && createOAuthProvider({ name, oauth: reach.oauth }, credentials);
    const events = { lost: broken, refused, streamEnded };
    const transport = await httpTransport({ name, address: reach, network, auth, events });
    return { transport, lastWords: () => "", hasEnded: () => false };
  }
  if (processes === undefined)
    throw mcpError(
      "MCP_OPTIONS_INVALID",
      `The server ${name} is a program, but this workspace cannot run programs.`,
    );
  const transport = new ProcessTransport({ name, program: reach, processes, setsVariables, lost });
  return { transport, lastWords: () => transport.getStderrTail(), hasEnded: () => transport.hasEnded };
}
