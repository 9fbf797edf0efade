import { type Logger, withoutUndefined } from "@haft/core";
import { requireKnownOptions } from "@haft/core/internal";
import { connect } from "./link/connection.ts";
import { checkMcpServer } from "./mount-mcp.ts";
import { findHeaderProblem } from "./parameter-headers.ts";
import type { ServerEnvironment } from "./server-environment.ts";
import { isServerAddress, type McpEra, type McpServer } from "./server.ts";
import { type McpToolDefinition, readDefinition } from "./tool-definition.ts";

/** What a server says of itself when it is looked at, and what it did meanwhile. */
export interface McpSurvey {
  /** The tools that can be accepted. */
  tools: readonly McpToolDefinition[];
  /** Those that cannot, and why: each the end of a sentence that begins with the name. */
  problems: readonly { name: string; problem: string }[];
  /** Its name and version, as it says. */
  info?: { name: string; version?: string };
  /** What it says to models about all its tools. Haft passes it on to nobody. */
  instructions?: string;
  /** Which protocol it speaks. */
  era?: McpEra;
  /** What it asked its client for. All of it but roots was refused. */
  asked: readonly string[];
  /** What of its place is to be told, such as hosts that it did not reach: sentences. */
  notices: readonly string[];
}

/**
 * Starts or reaches a server, asks for its tools, and lets it go. No tool of it is called.
 *
 * @param options.place where its process runs, or by which network it is reached
 * @throws HaftError `MCP_…`, and those of the place
 */
export async function surveyMcp(
  server: McpServer,
  options: { place: ServerEnvironment; signal?: AbortSignal; logger?: Pick<Logger, "debug"> },
): Promise<McpSurvey> {
  requireKnownOptions<typeof options>("surveyMcp", options, { place: true, signal: true, logger: true });
  const { place, signal, logger = SILENT } = options;
  checkMcpServer(server);
  const connection = await connect(server, withoutUndefined({ place, logger, signal }));
  try {
    const tools = new Map<string, McpToolDefinition>();
    const seen = new Set<string>();
    const twice = new Set<string>();
    const problems: { name: string; problem: string }[] = [];
    const hasHeaders = isServerAddress(server.reach) && connection.era === "modern";
    for (const given of await connection.tools(signal)) {
      const read = readDefinition(given);
      const headers = "problem" in read || !hasHeaders ? undefined : findHeaderProblem(read.inputSchema);
      if ("problem" in read) problems.push(read);
      else if (headers !== undefined) problems.push({ name: read.name, problem: headers });
      else tools.set(read.name, read);
      if (seen.has(read.name)) twice.add(read.name);
      seen.add(read.name);
    }
    for (const name of twice) {
      if (!tools.delete(name)) continue;
      problems.push({ name, problem: "is offered twice, so nobody can tell which of them a call reaches" });
    }
    const { info, instructions, era, clientRequests } = connection;
    return withoutUndefined<McpSurvey>({
      tools: [...tools.values()],
      problems,
      info: info && withoutUndefined({ name: info.name, version: info.version }),
      instructions,
      era,
      asked: [...clientRequests],
      notices: connection.notices(),
    });
  } finally {
    await connection.close();
  }
}

const SILENT = { debug() {} };
