import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { checkValue } from "@haft/core/internal";
import type {
  CallToolResult,
  jsonSchemaValidator,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import { McpCallRequest } from "./calls/call-request.ts";
import type { CallState, CallStates } from "./calls/call-state.ts";
import { ClientRoots } from "./calls/client-roots.ts";
import type { McpConversation } from "./conversation.ts";
import * as sdk from "./sdk.ts";
import { toErrorResult } from "./tools/to-call-tool-result.ts";

let packageVersion: string | undefined;

/** The version of the package that holds this code: `@haft/mcp`, or the program that bundles it. */
function readPackageVersion(): string {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) return "0.0.0";
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { version?: string };
  return version ?? "0.0.0";
}

/** The one that the library brings takes 300 kB, and is asked about forms only, which are looked at where they are read. */
const FORMS: jsonSchemaValidator = {
  getValidator: (schema) => (input) =>
    checkValue(schema, input, 1).length === 0
      ? { valid: true, data: input as never, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: "It is not what was asked for." },
};

/** A server of the library for one connection, or one request, of a conversation. */
export async function createMcpServer(
  conversation: McpConversation,
  { era, states }: { era: "legacy" | "modern"; states: CallStates },
): Promise<Server> {
  const { name = "haft", version = (packageVersion ??= readPackageVersion()) } = conversation.options;
  const instructions = await conversation.instructions();
  const server = new sdk.Server(
    { name, version },
    {
      capabilities: { tools: { listChanged: true }, logging: {} },
      jsonSchemaValidator: FORMS,
      requestState: { verify: (state, context) => states.verify(state, context) },
      ...(instructions === undefined ? {} : { instructions }),
    },
  );
  const roots = new ClientRoots(() => conversation.folders());
  // Since 2026 a server cannot ask beside a request, and no call is held up for it.
  const hasRoots = () => era === "legacy" && server.getClientCapabilities()?.roots !== undefined;
  server.setNotificationHandler("notifications/roots/list_changed", () => roots.changed());
  server.setRequestHandler("tools/list", async () => ({ tools: await conversation.tools() }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const request = new McpCallRequest(conversation, { server, context, states, isLegacy: era === "legacy" });
    try {
      const state = context.mcpReq.requestState<CallState>();
      const answering = state === undefined ? request.begin(params) : request.resume(params, state);
      const [answer, said] = await Promise.all([answering, hasRoots() ? heardOf(roots, context) : undefined]);
      return said === undefined ? answer : withText(answer, said);
    } catch (thrown) {
      // What the protocol has a word for is for the client; all else is for the model.
      if (thrown instanceof sdk.ProtocolError) throw thrown;
      return toErrorResult(thrown);
    }
  });
  const silence = conversation.onToolsChanged(() => void server.sendToolListChanged().catch(() => {}));
  // It has no events, and one listener.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  server.onclose = silence;
  return server;
}

async function heardOf(roots: ClientRoots, { mcpReq }: ServerContext): Promise<string | undefined> {
  const send = mcpReq.send as (request: object, options: object) => Promise<unknown>;
  const said = await roots.ask((request, options) => send(request, { ...options, signal: mcpReq.signal }));
  if (said === undefined) return undefined;
  await mcpReq.log(said.level, said.text, "haft").catch(() => {});
  return said.isForModel ? said.text : undefined;
}

/** What asks for more has no text. */
function withText<R extends object>(result: R, text: string): R | CallToolResult {
  const { content } = result as Partial<CallToolResult>;
  return content === undefined ? result : { ...result, content: [...content, { type: "text", text }] };
}
