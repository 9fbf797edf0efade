import { HaftError, type Logger } from "@haft/core";
import { untilAborted } from "@haft/utils";
import { mcpError } from "../../errors.ts";
import type { ServerEnvironment } from "../server-environment.ts";
import type { AcceptedServer, ServerChange } from "../server.ts";
import { fingerprint, type McpToolDefinition, readDefinition } from "../tool-definition.ts";
import { connect, type Connection } from "./connection.ts";
import { canRetry } from "./not-run-error.ts";

/** After one failure a server is tried again at once, then after this and twice as long each time. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** A server that left a call unanswered is asked whether it still lives. */
const PING_MS = 5_000;
/** How often a call is made again that certainly was not carried out: behind one address several servers may answer. */
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
  /** Told after each look at its tools that found anything. */
  onChange?: ((change: ServerChange) => void) | undefined;
}

/** One server of one session: started when it is needed, and again when it has gone, with a wait that grows. */
export class ServerLink {
  readonly #options: Omit<LinkOptions, "place">;
  environment: LinkOptions["place"];
  #opening: Promise<Standing> | undefined;
  #isStale = false;
  #failures = 0;
  #notBefore = 0;
  #closed = false;

  constructor({ place, ...options }: LinkOptions) {
    this.environment = place;
    this.#options = options;
  }

  /** Whether anything of it is open, or was lately tried in vain. */
  get isIdle(): boolean {
    return this.#opening === undefined && this.#failures === 0;
  }

  async use<T>(tool: string, signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    for (let repeats = 0; ; repeats++) {
      const standing = await this.#stand(signal);
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
          // Once the call alone may have been at fault; twice it is the connection.
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
      throw mcpError(
        "MCP_TOOL_CHANGED",
        `The server ${name} describes ${tool} otherwise than was accepted.`,
        {
          fix: `Do it without the tool; ask the operator to run \`haft mcp review ${name}\`, which shows the difference.`,
        },
      );
    if (state === undefined)
      throw mcpError("MCP_TOOL_GONE", `The server ${name} does not offer ${tool} any more.`);
  }

  /** Another call may still have its answer to come by a connection that is left: it is closed behind the last one. */
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

  async #stand(signal: AbortSignal): Promise<Standing> {
    const { name } = this.#options.server;
    if (this.#closed)
      throw mcpError("MCP_SERVER_UNAVAILABLE", `The session has ended, and with it the server ${name}.`);
    if (this.#opening === undefined) {
      const wait = this.#notBefore - performance.now();
      if (wait > 0)
        throw mcpError(
          "MCP_SERVER_UNAVAILABLE",
          `The server ${name} failed ${this.#failures} times in a row, and is tried again in ${Math.ceil(wait / 1000)} s.`,
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
    opening = this.#lookAgain(standing);
    this.#opening = opening;
    opening.catch(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    return untilAborted(opening, signal);
  }

  /** Over a new connection where that does not work over this one. */
  async #lookAgain(standing: Standing): Promise<Standing> {
    try {
      standing.tools = await this.#look(standing.connection);
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
    // Whatever of it is open by then is not this one.
    void this.#forgetWhenEnded(connection);
    try {
      const tools = await this.#look(connection);
      if (this.#closed)
        throw mcpError(
          "MCP_SERVER_UNAVAILABLE",
          `The session has ended, and with it the server ${server.name}.`,
        );
      return { connection, tools, calls: 0, isLeft: false };
    } catch (thrown) {
      await connection.close();
      throw thrown;
    }
  }

  async #look(connection: Connection): Promise<Standing["tools"]> {
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
      // Offered twice, it is what the worse of both is.
      if (before !== undefined && tools.get(definition.name) !== "changed")
        tools.set(definition.name, isSame ? "as accepted" : "changed");
      if (isSame || "problem" in definition) continue;
      (before === undefined ? added : changed).push(definition);
    }
    const gone = [...accepted.keys()].filter((name) => !tools.has(name));
    onChange?.({ server: server.name, changed, gone, added });
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
