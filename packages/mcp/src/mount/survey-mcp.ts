import type { Logger } from "@haft/core";
import { checkTool, requireKnownOptions } from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";
import { connect } from "./link/connection.ts";
import { checkMcpServer } from "./mount-mcp.ts";
import { findHeaderProblem } from "./parameter-headers.ts";
import type { ServerEnvironment } from "./server-environment.ts";
import { isServerAddress, type McpEra, type McpServer } from "./server.ts";
import { type McpToolDefinition, readDefinition } from "./tool-definition.ts";

/**
 * Contains the descriptions and the requests of a server during {@link surveyMcp}.
 *
 * @example
 * ```ts
 * import type { McpSurvey } from "@haft/mcp";
 * const summarize = ({ tools, problems, asked, notices }: McpSurvey) =>
 *   [`${tools.length} tools`, ...problems.map(({ name, problem }) => `${name} ${problem}`), ...asked, ...notices];
 * ```
 */
export interface McpSurvey {
  /** Contains the tools that can be accepted. */
  tools: readonly McpToolDefinition[];
  /** Contains the other tools with the reason, as a sentence after the name. */
  problems: readonly { name: string; problem: string }[];
  /** Contains the name and version that the server states. */
  info?: { name: string; version?: string };
  /** Contains the server's instructions for models. Haft does not pass them on. */
  instructions?: string;
  /** Names the revision of the protocol that the server implements. */
  era?: McpEra;
  /** Names methods that the server requested. All except roots were refused. */
  asked: readonly string[];
  /** Contains the environment's problems (such as unreachable hosts) as sentences. */
  notices: readonly string[];
}

/**
 * Starts a server or connects to it, lists its tools, and disconnects. It calls no tool.
 *
 * @param options.place the server's environment
 * @throws HaftError `MCP_…`, and errors of the environment
 *
 * @example
 * ```ts
 * import { surveyMcp } from "@haft/mcp";
 * import type { Workspace } from "@haft/core";
 * declare const workspace: Workspace;
 * const reach = { command: "mcp-server-everything", args: ["stdio"] };
 * const place = { processes: workspace.processes };
 * const { tools } = await surveyMcp({ name: "everything", reach }, { place, signal: AbortSignal.timeout(30_000) });
 * console.table(tools, ["name", "description"]);
 * ```
 */
export async function surveyMcp(
  server: McpServer,
  options: { place: ServerEnvironment; signal?: AbortSignal; logger?: Pick<Logger, "debug" | "warn"> },
): Promise<McpSurvey> {
  requireKnownOptions<typeof options>("surveyMcp", options, { place: true, signal: true, logger: true });
  const { place: environment, signal, logger = SILENT } = options;
  checkMcpServer(server);
  const connection = await connect(server, withoutUndefined({ place: environment, logger, signal }));
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
      else {
        const problem = headers ?? findSchemaProblem(read);
        if (problem === undefined) tools.set(read.name, read);
        else problems.push({ name: read.name, problem });
      }
      if (seen.has(read.name)) twice.add(read.name);
      seen.add(read.name);
    }
    for (const name of twice) {
      if (!tools.delete(name)) continue;
      problems.push({ name, problem: "is offered twice, so the target of a call is ambiguous" });
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

/** Checks the schema as a session does, which leaves the tool out otherwise. */
function findSchemaProblem({ inputSchema }: McpToolDefinition): string | undefined {
  const tool = { name: "x", description: "x", parameters: inputSchema, effects: [], execute: () => {} };
  const { problem } = checkTool(tool);
  return problem === undefined ? undefined : `has an unusable inputSchema: ${problem}`;
}

const SILENT = { debug() {}, warn() {} };
