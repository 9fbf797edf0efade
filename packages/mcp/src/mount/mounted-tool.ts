import { type AnyTool, type CallPlan, text, type ToolContext, type ToolEffect } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import type { ServerLink } from "./link/server-link.ts";
import { readMcpResult } from "./read-result.ts";
import { type AcceptedServer, isServerAddress } from "./server.ts";
import type { McpToolDefinition } from "./tool-definition.ts";

const ALL_EFFECTS: readonly ToolEffect[] = ["read", "write", "execute", "network", "message"];
const DEFAULT_CALL_MS = 60_000;
/** Servers may report progress without end. */
const LONGEST_MS = 35 * 60_000;

export function mountedTool(
  server: AcceptedServer,
  definition: McpToolDefinition,
  name: string,
  linkOf: (context: ToolContext) => ServerLink,
): AnyTool {
  const declared = effectsOf(server.effects, definition.name);
  const { timeoutMs = DEFAULT_CALL_MS } = server;
  const plan = (args: unknown): CallPlan => planOf({ server, name, args, isUnknown: declared === undefined });
  return withoutUndefined<AnyTool>({
    name,
    label: definition.title,
    description:
      definition.description?.trim() || `The tool ${definition.name} of the MCP server ${server.name}.`,
    parameters: definition.inputSchema,
    fillsDefaults: false,
    effects: declared ?? ALL_EFFECTS,
    groups: groupsOf(definition, declared),
    mcp: { server: server.name, tool: definition.name },
    otherNames: name === definition.name ? undefined : { [definition.name]: {} },
    // Its effects are unknown, so a repeat is allowed.
    progress: declared === undefined ? { identicalRepeat: "run" } : undefined,
    deadlineMs: LONGEST_MS,
    wantsPlan: () => declared === undefined,
    plan,
    async execute(_toolCallId, args: Record<string, unknown>, signal, onUpdate, context) {
      return linkOf(context).use(definition.name, signal, async (connection) => {
        const result = await connection.call(definition, args, {
          signal,
          timeoutMs,
          onProgress: ({ progress, total, message }) =>
            onUpdate?.({
              content: [
                text(
                  [`${progress}${total === undefined ? "" : ` of ${total}`}`, message]
                    .filter(Boolean)
                    .join(": "),
                ),
              ],
              details: withoutUndefined({ progress, total }),
            }),
        });
        return readMcpResult(result, {
          server: server.name,
          tool: definition.name,
          notices: connection.notices(),
        });
      });
    },
  });
}

/** Policy groups: all MCP tools, and tools with unreviewed effects. */
function groupsOf({ annotations }: McpToolDefinition, declared: readonly ToolEffect[] | undefined): string[] {
  if (declared !== undefined) return ["mcp"];
  return ["mcp", "unknown-effects", ...(annotations?.["readOnlyHint"] === true ? ["hinted-effects"] : [])];
}

/** Describes the call. Its files, hosts and commands are unknown, so their rules remain strict. */
function planOf({
  server: { name: server, reach },
  name,
  args,
  isUnknown,
}: {
  server: AcceptedServer;
  name: string;
  args: unknown;
  isUnknown: boolean;
}): CallPlan {
  const where = isServerAddress(reach)
    ? `The MCP server ${server} runs this call, at ${new URL(reach.url).origin}.`
    : `The MCP server ${server} runs this call, as the program ${reach.command}.`;
  return withoutUndefined<CallPlan>({
    subjects: isServerAddress(reach) ? { hosts: [new URL(reach.url).hostname.toLowerCase()] } : undefined,
    preview: [text(where), text(`${name} ${JSON.stringify(args, undefined, 2)}`)],
    consent: isUnknown
      ? [
          {
            place: `call of ${name}`,
            reason: `The effects of ${name} are not reviewed. Set them with haft mcp effects ${server}; then rules decide.`,
          },
        ]
      : undefined,
  });
}

function effectsOf(effects: AcceptedServer["effects"], name: string): readonly ToolEffect[] | undefined {
  return effects !== undefined && Object.hasOwn(effects, name) ? effects[name] : undefined;
}
