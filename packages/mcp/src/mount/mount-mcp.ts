import type { ToolContext } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import { mcpError } from "../errors.ts";
import { ServerLink } from "./link/server-link.ts";
import { mountedTool } from "./mounted-tool.ts";
import type { ServerEnvironment } from "./server-environment.ts";
import { type AcceptedServer, isServerAddress, type ServerChange } from "./server.ts";
import { assignToolNames } from "./tool-names.ts";

/**
 * Options of {@link mountMcp}.
 *
 * @example
 * ```ts
 * import type { MountOptions } from "@haft/mcp";
 * const options: MountOptions = {
 *   withheld: ["delete_repository"],
 *   onChange: ({ server, changed }) => console.warn(`${server}: ${changed.length} tools have changed`),
 * };
 * ```
 */
export interface MountOptions {
  /**
   * Returns the environment of the server for a session. Default: the processes of the session's workspace, which end with the
   * session, and no network.
   */
  environment?: (context: ToolContext) => ServerEnvironment | Promise<ServerEnvironment>;
  /** Accepted tools that are not offered, by the server's names. `onChange` still reports their changes. */
  withheld?: readonly string[];
  /** Receives the differences between the server's descriptions and the accepted ones, each time they are compared. */
  onChange?: (change: ServerChange) => void;
}

const NAME = /^[a-z][a-z0-9-]{0,23}$/;

/**
 * Makes a plugin `mcp-NAME` of an MCP server: the accepted tools, with their accepted descriptions. The first call starts the
 * server or connects to it. Each session has a server of its own; the next call restarts a server that has ended.
 *
 * @throws HaftError `MCP_OPTIONS_INVALID`
 *
 * @example
 * ```ts run
 * import { mountMcp } from "@haft/mcp";
 * const plugin = mountMcp({
 *   name: "files",
 *   reach: { command: "node", args: ["server.js"] },
 *   tools: [{ name: "list", description: "Lists a folder.", inputSchema: { type: "object" } }],
 *   effects: { list: ["read"] },
 * });
 * plugin.tools.flatMap(({ names }) => names); // => ["files_list"]
 * ```
 */
export function mountMcp(server: AcceptedServer, options: MountOptions = {}): Plugin {
  requireKnownOptions<MountOptions>("mountMcp", options, {
    environment: true,
    withheld: true,
    onChange: true,
  });
  const { environment = placeOfSession, onChange, withheld = [] } = options;
  checkMcpServer(server);
  const links = new Map<string, ServerLink>();
  const linkOf = (context: ToolContext): ServerLink => {
    const key = context.runId ?? JSON.stringify([context.agentId, context.sessionKey]);
    for (const [other, link] of links) if (other !== key && link.isIdle) links.delete(other);
    let link = links.get(key);
    if (link === undefined) {
      const { logger } = context;
      link = new ServerLink({ server, place: () => environment(context), logger, onChange });
      links.set(key, link);
    } else {
      // A run that was closed and is continued here has the same name, and a workspace of its own.
      link.environment = () => environment(context);
    }
    return link;
  };
  const names = assignToolNames(
    server.name,
    server.tools.map(({ name }) => name),
  );
  return definePlugin({
    id: `mcp-${server.name}`,
    name: `The MCP server ${server.name}`,
    // What is shared is made by calls; it has an end.
    setup: () => links,
    tools: server.tools
      .filter(({ name }) => !withheld.includes(name))
      .map((definition) => mountedTool(server, definition, names.get(definition.name)!, linkOf)),
    dispose: async () => void (await Promise.all([...links.values()].map((link) => link.close()))),
  });
}

export function checkMcpServer({
  name,
  reach,
  tools,
}: Pick<AcceptedServer, "name" | "reach"> & Partial<AcceptedServer>): void {
  const wrong = (message: string) => mcpError("MCP_OPTIONS_INVALID", message);
  if (typeof name !== "string" || !NAME.test(name))
    throw wrong(
      `${JSON.stringify(name)} cannot be the name of a server: it has small letters, digits and -, begins with a letter, and is 24 characters long at most.`,
    );
  if (isServerAddress(reach)) {
    const url = URL.parse(reach.url);
    if (
      url === null ||
      (url.protocol !== "https:" && url.protocol !== "http:") ||
      url.username !== "" ||
      url.password !== ""
    )
      throw wrong(
        `The server ${name} is at ${JSON.stringify(reach.url)}, which is no address: it begins with https:// or http://, and names no user.`,
      );
  } else if (typeof reach?.command !== "string" || reach.command === "")
    throw wrong(`The server ${name} has neither a command nor an address.`);
  const twice = tools?.find((tool, index) => tools.findIndex((other) => other.name === tool.name) !== index);
  if (twice !== undefined) throw wrong(`The server ${name} has the tool ${twice.name} twice.`);
}

function placeOfSession({ workspace }: ToolContext): ServerEnvironment {
  return { processes: workspace.processes, root: workspace.describe().cwd };
}
