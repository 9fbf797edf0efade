import type { ToolContext } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { definePlugin, type Plugin } from "@haft/plugin-sdk";
import { mcpError } from "../errors.ts";
import { ServerLink } from "./link/server-link.ts";
import { mountedTool } from "./mounted-tool.ts";
import type { ServerEnvironment } from "./server-environment.ts";
import { type AcceptedServer, isServerAddress, type ServerChange } from "./server.ts";
import { assignToolNames } from "./tool-names.ts";

/** How a server is mounted. */
export interface MountOptions {
  /**
   * Where a session has its process, or by which network it is reached. Default: the processes of the session's workspace, with
   * which it ends, and no network.
   */
  environment?: (context: ToolContext) => ServerEnvironment | Promise<ServerEnvironment>;
  /** Accepted tools that are not offered all the same, by the server's own names; what becomes of them is told. */
  withheld?: readonly string[];
  /** Told what a server describes otherwise than was accepted, each time somebody looked. */
  onChange?: (change: ServerChange) => void;
}

const NAME = /^[a-z][a-z0-9-]{0,23}$/;

/**
 * The tools of an MCP server as a plugin, `mcp-NAME`: those that were accepted, as they were described then. Nothing is started
 * or reached before the first call. Each session has a server of its own; one that has gone is started again by the next call.
 *
 * @throws HaftError `MCP_OPTIONS_INVALID`
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
