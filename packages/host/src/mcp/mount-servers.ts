import { type Logger, getErrorMessage, type Plugin, type ToolContext } from "@haft/core";
import type { ToolDiagnostic } from "@haft/core/internal";
import { mountMcp, assignToolNames, type ServerEnvironment } from "@haft/mcp";
import { type KnownServer, toAcceptedServer } from "./known-servers.ts";
import { isChanged, type ServerChangeStore } from "./server-changes.ts";

export interface MountedServers {
  plugins: readonly Plugin[];
  diagnostics: readonly ToolDiagnostic[];
}

export interface MountOptions {
  environmentFor: (server: KnownServer, context: ToolContext) => Promise<ServerEnvironment>;
  changes: ServerChangeStore | undefined;
  logger: Logger | undefined;
}

/** Returns the tools of accepted servers, and reports blocked servers. */
export function mountServers(servers: readonly KnownServer[], mounting: MountOptions): MountedServers {
  const plugins: Plugin[] = [];
  const diagnostics: ToolDiagnostic[] = [];
  for (const server of servers) {
    const mounted = mountOne(server, mounting);
    plugins.push(...mounted.plugins);
    diagnostics.push(...mounted.diagnostics);
  }
  return { plugins, diagnostics };
}

function mountOne(server: KnownServer, { environmentFor, changes, logger }: MountOptions): MountedServers {
  const { name, source, blockedReason, accepted } = server;
  const pluginId = `mcp-${name}`;
  if (blockedReason !== undefined || accepted === undefined)
    return {
      plugins: [],
      diagnostics: [
        {
          code: "TOOL_HELD_BACK",
          pluginId,
          names: [],
          message: `The MCP server ${name} (${source}) ${blockedReason ?? "was never added"}, so it is held back.`,
          fix: `Run haft mcp add ${name}, which shows its tools.`,
        },
      ],
    };
  const found = changes?.read(name);
  const changed = new Set(accepted.tools.filter((tool) => found !== undefined && isChanged(tool, found)));
  const names = assignToolNames(
    name,
    accepted.tools.map((tool) => tool.name),
  );
  const diagnostics = [...changed].map((tool): ToolDiagnostic => ({
    code: "TOOL_HELD_BACK",
    pluginId,
    names: [names.get(tool.name)!],
    message: `The MCP server ${name} describes its tool ${tool.name} otherwise than was accepted, so it is held back.`,
    fix: `Run haft mcp review ${name}, which shows the difference.`,
  }));
  try {
    const plugin = mountMcp(toAcceptedServer(server), {
      environment: (context) => environmentFor(server, context),
      withheld: [...changed].map((tool) => tool.name),
      onChange(change) {
        const why = changes?.record(change);
        if (why !== undefined) logger?.warn(`What the MCP server ${name} changed could not be noted: ${why}`);
      },
    });
    return { plugins: [plugin], diagnostics };
  } catch (thrown) {
    const message = `The MCP server ${name} is not used: ${getErrorMessage(thrown)}`;
    const fix = `Correct it in ${source}, or remove it.`;
    return {
      plugins: [],
      diagnostics: [...diagnostics, { code: "PLUGIN_INVALID", pluginId, names: [], message, fix }],
    };
  }
}
