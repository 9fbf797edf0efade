import { redactServer } from "@haft/config/internal/settings";
import { type KnownServer, explainBlocked, isChanged } from "@haft/host/internal/mcp";
import { assignToolNames } from "@haft/mcp";
import { formatTable } from "@haft/policy";
import { escapeInvisible } from "@haft/utils";
import { reachLines, describeServerReach, serverToolLines } from "./describe-server.ts";
import { findServer, type McpContext, type McpValues, readMcpContext } from "./mcp-context.ts";

export async function listServers(values: McpValues): Promise<number> {
  const context = await readMcpContext(values);
  const all = context.servers.map((server) => asData(server, context));
  if (values.json) console.log(JSON.stringify({ servers: all }));
  else if (all.length === 0) console.log("There are no MCP servers. haft mcp add NAME -- COMMAND adds one.");
  else {
    const rows = all.map(({ name, tools, changed, heldBack, settings }) => [
      name,
      heldBack === undefined ? `${tools.length} ${tools.length === 1 ? "tool" : "tools"}` : "held back",
      describeServerReach(settings),
      heldBack ?? (changed.length > 0 ? `held back: ${changed.join(", ")}; haft mcp review ${name}` : ""),
    ]);
    console.log(
      formatTable([["server", "tools", "reaches", ""], ...rows.map((row) => row.map(escapeInvisible))]).join(
        "\n",
      ),
    );
  }
  return all.some(({ heldBack, changed }) => heldBack !== undefined || changed.length > 0) ? 1 : 0;
}

export async function showServer(values: McpValues, [name = ""]: readonly string[]): Promise<number> {
  const context = await readMcpContext(values);
  const server = findServer(name, context);
  const data = asData(server, context);
  if (values.json) {
    console.log(JSON.stringify(data));
    return 0;
  }
  const tools = server.accepted?.tools ?? [];
  const names = assignToolNames(
    server.name,
    tools.map((tool) => tool.name),
  );
  const { changed, gone, added } = context.noted.read(server.name);
  const lines = [
    ...reachLines(server),
    ...(server.blockedReason === undefined && data.heldBack !== undefined ? [`  ${data.heldBack}`] : []),
    `  configured   ${server.source}`,
    server.accepted === undefined
      ? `  ${server.blockedReason}; run haft mcp add ${server.name}`
      : `  accepted     ${new Date(server.accepted.at).toISOString()}`,
    "",
    ...tools.flatMap((tool) => [
      ...serverToolLines(names.get(tool.name)!, tool).map(escapeInvisible),
      `    does: ${doesOf(server, tool.name)}`,
      ...(isChanged(tool, { changed, gone, added }) ? [`    held back: its description has changed`] : []),
      ...(gone.includes(tool.name) ? ["    missing at the last check"] : []),
    ]),
    ...(added.length === 0
      ? []
      : [escapeInvisible(`Not accepted: ${added.map((tool) => tool.name).join(", ")}`)]),
  ];
  console.log(lines.join("\n"));
  return 0;
}

function doesOf({ accepted }: KnownServer, tool: string): string {
  const effects = accepted?.effects?.[tool];
  if (effects === undefined) return "not declared; each call needs approval";
  return effects.length === 0 ? "it only computes" : effects.join(", ");
}

function asData(server: KnownServer, { noted }: McpContext) {
  const { name, settings, source, accepted } = server;
  const found = noted.read(name);
  const tools = accepted?.tools ?? [];
  const changed = tools.filter((tool) => isChanged(tool, found)).map((tool) => tool.name);
  return {
    name,
    settings: redactServer(settings),
    source,
    heldBack: explainBlocked(server),
    changed,
    effects: accepted?.effects ?? {},
    tools,
  };
}
