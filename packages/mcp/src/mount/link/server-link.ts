import { HaftError, type Logger } from "@haft/core";
import { untilAborted } from "@haft/utils";
import { mcpError } from "../../errors.ts";
import type { ServerEnvironment } from "../server-environment.ts";
import type { AcceptedServer, ServerChange } from "../server.ts";
import { fingerprint, type McpToolDefinition, readDefinition } from "../tool-definition.ts";
import { connect, type Connection } from "./connection.ts";
import { canRetry } from "./not-run-error.ts";

/** Wait before the second retry; the first is immediate, later waits double. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const PING_MS = 5_000;
/** Repeats of a call that did not run: several servers may share an address. */
const MAX_RETRIES = 2;

interface Standing {
  connection: Connection;
  tools: ReadonlyMap<string, "as accepted" | "changed">;
  calls: number;
  isLeft: boolean;
}

interface LinkOptions {
  server: AcceptedServer;
  place: () => ServerEnvironment | Promise<ServerEnvironment>;
  logger: Logger;
  onChange?: ((change: ServerChange) => void) | undefined;
}

/** Starts a session's server on demand, and restarts it with exponential backoff. */
export class ServerLink {
  readonly #options: Omit<LinkOptions, "place">;
  environment: LinkOptions["place"];
  #opening: Promise<Standing> | undefined;
  #isStale = false;
  #failures = 0;
  #notBefore = 0;
  #closed = false;

  constructor({ place: environment, ...options }: LinkOptions) {
    this.environment = environment;
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#opening === undefined && this.#failures === 0;
  }

  async use<T>(tool: string, signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    for (let repeats = 0; ; repeats++) {
      const standing = await this.#connected(signal);
      this.#requireAccepted(tool, standing.tools.get(tool));
      try {
        const result = await this.#during(standing, work);
        this.#failures = 0;
        return result;
      } catch (thrown) {
        const { connection } = standing;
        const code = HaftError.is(thrown) ? thrown.code : "";
        if (code === "MCP_SERVER_TIMEOUT") void this.#endIfSilent(connection);
        if (code === "MCP_SERVER_LOST") {
          this.#failed();
          // The call may cause the first failure, the connection causes the second.
          if (this.#failures > 1) await this.#drop(standing);
        }
        if (!HaftError.is(thrown) || !canRetry(thrown)) throw thrown;
        await this.#drop(standing);
        if (repeats < MAX_RETRIES && !signal.aborted) continue;
        this.#failed();
        throw thrown;
      }
    }
  }

  #requireAccepted(tool: string, state: "as accepted" | "changed" | undefined): void {
    const { name } = this.#options.server;
    if (state === "changed")
      throw mcpError("MCP_TOOL_CHANGED", `The server ${name} changed the accepted description of ${tool}.`, {
        fix: `Work without the tool. Ask the operator to review the difference with \`haft mcp review ${name}\`.`,
      });
    if (state === undefined) throw mcpError("MCP_TOOL_GONE", `The server ${name} no longer offers ${tool}.`);
  }

  /** Closes an abandoned connection after its last call. */
  async #during<T>(standing: Standing, work: (connection: Connection) => Promise<T>): Promise<T> {
    standing.calls++;
    try {
      return await work(standing.connection);
    } finally {
      standing.calls--;
      if (standing.isLeft && standing.calls === 0) void standing.connection.close();
    }
  }

  async #drop(standing: Standing): Promise<void> {
    standing.isLeft = true;
    await this.#forget(standing.connection);
    if (standing.calls === 0) void standing.connection.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const opening = this.#opening;
    this.#opening = undefined;
    await (await opening?.catch(() => undefined))?.connection.close();
  }

  async #connected(signal: AbortSignal): Promise<Standing> {
    const { name } = this.#options.server;
    if (this.#closed)
      throw mcpError("MCP_SERVER_UNAVAILABLE", `The session has ended, which stopped the server ${name}.`);
    if (this.#opening === undefined) {
      const wait = this.#notBefore - performance.now();
      if (wait > 0)
        throw mcpError(
          "MCP_SERVER_UNAVAILABLE",
          `The server ${name} failed ${this.#failures} times in a row. The next attempt is possible in ${Math.ceil(wait / 1000)} s.`,
        );
      this.#isStale = false;
      const opening = this.#open();
      this.#opening = opening;
      opening.catch(() => {
        if (this.#opening === opening) this.#opening = undefined;
        this.#failed();
      });
    }
    let opening = this.#opening;
    const standing = await untilAborted(opening, signal);
    if (!this.#isStale) return standing;
    this.#isStale = false;
    opening = this.#compareAgain(standing);
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return untilAborted(opening, signal);
  }

  /** Compares tools again, over a new connection if the old one fails. */
  async #compareAgain(standing: Standing): Promise<Standing> {
    try {
      standing.tools = await this.#compare(standing.connection);
      return standing;
    } catch {
      standing.isLeft = true;
      if (standing.calls === 0) void standing.connection.close();
      return this.#open();
    }
  }

  async #open(): Promise<Standing> {
    const { server, logger } = this.#options;
    const connection = await connect(server, {
      place: await this.environment(),
      logger,
      onToolsChanged: () => (this.#isStale = true),
    });
    void this.#forgetWhenEnded(connection);
    try {
      const tools = await this.#compare(connection);
      if (this.#closed)
        throw mcpError(
          "MCP_SERVER_UNAVAILABLE",
          `The session has ended, which stopped the server ${server.name}.`,
        );
      return { connection, tools, calls: 0, isLeft: false };
    } catch (thrown) {
      await connection.close();
      throw thrown;
    }
  }

  async #compare(connection: Connection): Promise<Standing["tools"]> {
    const { server, onChange } = this.#options;
    const accepted = new Map(server.tools.map((tool) => [tool.name, tool]));
    const tools = new Map<string, "as accepted" | "changed">();
    const changed: McpToolDefinition[] = [];
    const added: McpToolDefinition[] = [];
    for (const given of await connection.tools()) {
      const definition = readDefinition(given);
      const before = accepted.get(definition.name);
      const isSame =
        before !== undefined && !("problem" in definition) && fingerprint(before) === fingerprint(definition);
      // If a tool is listed twice, `changed` wins.
      if (before !== undefined && tools.get(definition.name) !== "changed")
        tools.set(definition.name, isSame ? "as accepted" : "changed");
      if (isSame || "problem" in definition) continue;
      (before === undefined ? added : changed).push(definition);
    }
    const missing = [...accepted.keys()].filter((name) => !tools.has(name));
    onChange?.({ server: server.name, changed, gone: missing, added });
    return tools;
  }

  async #forgetWhenEnded(connection: Connection): Promise<void> {
    await connection.ended;
    await this.#forget(connection);
  }

  async #forget(connection: Connection): Promise<void> {
    const opening = this.#opening;
    const standing = await opening?.catch(() => undefined);
    if (standing?.connection === connection && this.#opening === opening) this.#opening = undefined;
  }

  async #endIfSilent(connection: Connection): Promise<void> {
    const { timeoutMs = PING_MS } = this.#options.server;
    if (await connection.ping(Math.min(PING_MS, timeoutMs))) return;
    await this.#forget(connection);
    await connection.close();
  }

  #failed(): void {
    this.#failures += 1;
    const wait =
      this.#failures < 2 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (this.#failures - 2), LONGEST_WAIT_MS);
    this.#notBefore = performance.now() + wait;
  }
}
