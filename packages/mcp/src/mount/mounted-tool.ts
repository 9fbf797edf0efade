import { type AnyTool, type CallPlan, text, type ToolContext, type ToolEffect } from "@haft/core";
import { withoutUndefined } from "@haft/utils";
import type { ServerLink } from "./link/server-link.ts";
import { readMcpResult } from "./read-result.ts";
import { type AcceptedServer, isServerAddress } from "./server.ts";
import type { McpToolDefinition } from "./tool-definition.ts";

const ALL_EFFECTS: readonly ToolEffect[] = ["read", "write", "execute", "network", "message"];
const DEFAULT_CALL_MS = 60_000;
/** The kernel's own limit is for servers that tell of progress for ever. */
const LONGEST_MS = 35 * 60_000;

export function mountedTool(
  server: AcceptedServer,
  definition: McpToolDefinition,
  name: string,
  linkOf: (context: ToolContext) => ServerLink,
): AnyTool {
  const said = ownOf(server.effects, definition.name);
  const { timeoutMs = DEFAULT_CALL_MS } = server;
  const plan = (args: unknown): CallPlan => planOf({ server, name, args, isUnknown: said === undefined });
  return withoutUndefined<AnyTool>({
    name,
    label: definition.title,
    description:
      definition.description?.trim() || `The tool ${definition.name} of the MCP server ${server.name}.`,
    parameters: definition.inputSchema,
    effects: said ?? ALL_EFFECTS,
    groups: groupsOf(definition, said),
    otherNames: name === definition.name ? undefined : { [definition.name]: {} },
    // That it may change something is a guess then, and no reason to keep a call from being made again.
    progress: said === undefined ? { identicalRepeat: "run" } : undefined,
    deadlineMs: LONGEST_MS,
    wantsPlan: () => said === undefined,
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

/** For policies: all tools of servers, and those whose effects nobody has checked. */
function groupsOf({ annotations }: McpToolDefinition, said: readonly ToolEffect[] | undefined): string[] {
  if (said !== undefined) return ["mcp"];
  return ["mcp", "unknown-effects", ...(annotations?.["readOnlyHint"] === true ? ["hinted-effects"] : [])];
}

/** What is shown to a person. Of files, hosts and commands nothing is known, so rules about them stay strict. */
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
    ? `The MCP server ${server} does this, at ${new URL(reach.url).origin}.`
    : `The MCP server ${server} does this, a program of its own: ${reach.command}.`;
  return withoutUndefined<CallPlan>({
    subjects: isServerAddress(reach) ? { hosts: [new URL(reach.url).hostname.toLowerCase()] } : undefined,
    preview: [text(where), text(`${name} ${JSON.stringify(args, undefined, 2)}`)],
    consent: isUnknown
      ? [
          {
            place: `call of ${name}`,
            reason: `Nobody but the server says what ${name} does. haft mcp effects ${server} says it, and then rules decide.`,
          },
        ]
      : undefined,
  });
}

function ownOf(effects: AcceptedServer["effects"], name: string): readonly ToolEffect[] | undefined {
  return effects !== undefined && Object.hasOwn(effects, name) ? effects[name] : undefined;
}
