import type { ToolContext, Workspace } from "@haft/core";
import type { Network } from "@haft/core/kernel";
import type { McpCredentials, ServerEnvironment } from "@haft/mcp";
import type { RequestedContainment } from "@haft/policy";
import { withoutUndefined } from "@haft/utils";
import { createHostNetwork, createHostProcesses, type HostProcessesOptions } from "@haft/workspace";
import { type SessionWorkspace, withProcesses } from "@haft/workspace/internal/places";
import { addVariables } from "../contained/add-variables.ts";
import type { ContainedWorkspace } from "../contained/contained-workspace.ts";
import { hostError } from "../errors.ts";
import { type KnownServer, toAcceptedServer } from "./known-servers.ts";

export interface ServerContext {
  files: Workspace;
  processes: Omit<HostProcessesOptions, "workspace">;
  contain: (
    requested: RequestedContainment,
    offer: (hosts: readonly string[]) => string,
    variables: Readonly<Record<string, string>>,
  ) => Promise<ContainedWorkspace>;
  allowPrivate?: readonly string[] | undefined;
  credentials?: ((server: string) => McpCredentials) | undefined;
}

export interface SandboxContext {
  workspace: Workspace;
  network?: Network | undefined;
  reaches?: "none" | "limited" | "full" | undefined;
}

export interface SessionServers {
  close(): Promise<void>;
}

interface OpenSession {
  opening: () => string;
  inside: SandboxContext | undefined;
  places: Map<string, Promise<Held>>;
}

interface Held {
  place: ServerEnvironment;
  close(): Promise<void>;
}

/** Runs the servers of sessions in the sandbox of the session, else each in its own view. */
export class ServerEnvironments {
  readonly #context: ServerContext;
  readonly #sessions = new Set<OpenSession>();

  constructor(serverContext: ServerContext) {
    this.#context = serverContext;
  }

  attach(opening: () => string, inside: SandboxContext | undefined): SessionServers {
    const session: OpenSession = { opening, inside, places: new Map() };
    this.#sessions.add(session);
    return {
      close: async () => {
        this.#sessions.delete(session);
        await Promise.all(
          [...session.places.values()].map(async (one) => (await one.catch(() => undefined))?.close()),
        );
      },
    };
  }

  /** @throws HaftError `MCP_NETWORK_REFUSED`, `MCP_UNAVAILABLE`, and the errors of views */
  async environmentFor(
    server: KnownServer,
    context: Pick<ToolContext, "runId" | "fenced">,
  ): Promise<ServerEnvironment> {
    const session = [...this.#sessions].find(({ opening }) => opening() === context.runId);
    if (session === undefined)
      throw hostError("HOST_CLOSED", `The session has ended, and the server ${server.name} with it.`);
    let held = session.places.get(server.name);
    if (held === undefined) {
      const opening = this.open(
        server,
        session.inside,
        (workspace) => context.fenced?.(workspace) ?? workspace,
      );
      session.places.set(server.name, (held = opening));
      opening.catch(() => session.places.delete(server.name));
    }
    return (await held).place;
  }

  async open(
    server: KnownServer,
    inside?: SandboxContext,
    fenced: (workspace: Workspace) => Workspace = (workspace) => workspace,
  ): Promise<Held> {
    const { name, settings } = server;
    const { url, network = "none", outside = false } = settings;
    const { files, allowPrivate = [], credentials } = this.#context;
    if (url !== undefined) {
      const environment = withoutUndefined<ServerEnvironment>({
        network:
          inside === undefined
            ? createHostNetwork({ allowPrivate: [...allowPrivate, hostOf(url)] })
            : inside.network,
        credentials: credentials?.(name),
      });
      return { place: environment, close: async () => {} };
    }
    if (inside !== undefined) {
      // The workspace must not extend the network that the operator allowed.
      if (network === "none" && inside.reaches !== undefined && inside.reaches !== "none")
        throw hostError(
          "MCP_NETWORK_REFUSED",
          `The server ${name} was added without a network, and the sandbox of this session has one.`,
        );
      if (outside)
        throw hostError(
          "MCP_NETWORK_REFUSED",
          `The server ${name} was added to run on the host itself, and this session works elsewhere.`,
        );
      const { processes } = fenced(inside.workspace);
      return { place: { processes, root: inside.workspace.describe().cwd }, close: async () => {} };
    }
    const root = files.describe().cwd;
    const variables = readVariables(server);
    const view = outside
      ? undefined
      : await this.#context.contain(toRequested(name, network), (hosts) => offerOf(name, hosts), variables);
    const opened = view ?? this.#onHost(variables);
    const settle = view && (async () => void (await (await view.view()).afterCommand(true)));
    return {
      place: withoutUndefined<ServerEnvironment>({
        processes: fenced(opened.workspace).processes,
        setsVariables: true,
        root,
        settle,
      }),
      close: () => opened.close(),
    };
  }

  #onHost(variables: Readonly<Record<string, string>>): SessionWorkspace {
    const { files, processes } = this.#context;
    const hostProcesses = createHostProcesses({ ...addVariables(processes, variables), workspace: files });
    return { workspace: withProcesses(files, () => hostProcesses), close: () => hostProcesses.close() };
  }
}

/** Returns the variables of a server, which its operator set. A model or plugin may set fewer. */
function readVariables(server: KnownServer): Readonly<Record<string, string>> {
  const { reach } = toAcceptedServer(server);
  return "command" in reach ? (reach.env ?? {}) : {};
}

function toRequested(
  name: string,
  network: NonNullable<KnownServer["settings"]["network"]>,
): RequestedContainment {
  return { mode: "workspace", network, usesHostCaches: false, source: `the MCP server ${name}` };
}

function offerOf(name: string, hosts: readonly string[]): string {
  return `its operator says what the server ${name} reaches, with --network ${hosts.join(",")} of haft mcp add`;
}

/** The operator named the host, so it may be local. */
function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}
