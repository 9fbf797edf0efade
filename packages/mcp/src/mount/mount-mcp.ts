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
 * Configures {@link mountMcp}.
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
   * Returns the environment of the server for a session. Default: the processes of the session's workspace, which end with the session, and
   * no network.
   */
  environment?: (context: ToolContext) => ServerEnvironment | Promise<ServerEnvironment>;
  /** Hides accepted tools, by the server's names. `onChange` still reports their changes. */
  withheld?: readonly string[];
  /** Receives the differences from the accepted descriptions after each comparison. */
  onChange?: (change: ServerChange) => void;
}

const NAME = /^[a-z][a-z0-9-]{0,23}$/;

/**
 * Creates a plugin `mcp-NAME` with the accepted tools of an MCP server and their accepted descriptions. The
 * first call starts or reaches the server. Each session has its own server, which the next call restarts if
 * it has ended.
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
  const { environment = environmentOfSession, onChange, withheld = [] } = options;
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
      // A resumed run has a new workspace.
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
      `${JSON.stringify(name)} is not a valid server name. A name has at most 24 characters: lower-case letters, digits and -, starting with a letter.`,
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
        `The server ${name} has the invalid address ${JSON.stringify(reach.url)}: an address begins with https:// or http:// and contains no user.`,
      );
  } else if (typeof reach?.command !== "string" || reach.command === "")
    throw wrong(`The server ${name} needs a command or an address.`);
  const twice = tools?.find((tool, index) => tools.findIndex((other) => other.name === tool.name) !== index);
  if (twice !== undefined) throw wrong(`The server ${name} has the tool ${twice.name} twice.`);
}

function environmentOfSession({ workspace }: ToolContext): ServerEnvironment {
  return { processes: workspace.processes, root: workspace.describe().cwd };
}
