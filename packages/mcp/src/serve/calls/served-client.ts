import { AsyncLocalStorage } from "node:async_hooks";

/** What a client can be asked, as the protocol has it: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
export interface ClientQuestion {
  /** A request that servers may make of clients. */
  method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  /** As the protocol has them for that request. */
  params?: Record<string, unknown>;
}

/** The client of MCP that made a call, as far as the tool that runs for it has to do with it. */
export interface ServedClient {
  /** What it says it can do: `elicitation`, `sampling`, `roots`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Asks whoever is there, and waits: the answers have the names of the questions. What comes is not checked, and what is not
   * answered is left out.
   *
   * @throws HaftError `MCP_CLIENT_SILENT` when it cannot be asked so, fails at it, or does not come back
   */
  ask(questions: Readonly<Record<string, ClientQuestion>>): Promise<Readonly<Record<string, unknown>>>;
  /** Has it log something beside the result. Where it does not want to, nothing happens. */
  log(level: "debug" | "info" | "warning" | "error", data: unknown): void;
}

const serving = new AsyncLocalStorage<ServedClient>();

/** Of the call that runs. `undefined` where no client of MCP made it: then there is nobody to ask, and a tool does without. */
export function servedClient(): ServedClient | undefined {
  return serving.getStore();
}

export function runWithClient<T>(client: ServedClient, run: () => T): T {
  return serving.run(client, run);
}
