import { checkValue } from "@haft/core/internal";
import type {
  CallToolResult,
  jsonSchemaValidator,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { McpCallRequest } from "./calls/call-request.ts";
import type { CallState, CallStates } from "./calls/call-state.ts";
import { ClientRoots } from "./calls/client-roots.ts";
import type { McpConversation } from "./conversation.ts";
import * as sdk from "./sdk.ts";
import { toErrorResult } from "./tools/to-call-tool-result.ts";

let packageVersion: string | undefined;

/** Returns the version of `@haft/mcp`, or of the program that bundles it. */
function readPackageVersion(): string {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) return "0.0.0";
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { version?: string };
  return version ?? "0.0.0";
}

/** Replaces the SDK's validator (300 kB): only forms need it, and their reader validates. */
const FORMS: jsonSchemaValidator = {
  getValidator: (schema) => (input) =>
    checkValue(schema, input, 1).length === 0
      ? { valid: true, data: input as never, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: "The form has an unexpected format." },
};

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
  // Since 2026, servers ask only within requests, which must not delay calls.
  const hasRoots = () => era === "legacy" && server.getClientCapabilities()?.roots !== undefined;
  server.setNotificationHandler("notifications/roots/list_changed", () => roots.changed());
  server.setRequestHandler("tools/list", async () => ({ tools: await conversation.tools() }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const request = new McpCallRequest(conversation, { server, context, states, isLegacy: era === "legacy" });
    try {
      const state = context.mcpReq.requestState<CallState>();
      const answering = state === undefined ? request.begin(params) : request.resume(params, state);
      const [answer, notice] = await Promise.all([
        answering,
        hasRoots() ? noticeOf(roots, context) : undefined,
      ]);
      return notice === undefined ? answer : withText(answer, notice);
    } catch (thrown) {
      // Only protocol errors go to the client alone.
      if (thrown instanceof sdk.ProtocolError) throw thrown;
      return toErrorResult(thrown);
    }
  });
  const silence = conversation.onToolsChanged(() => void server.sendToolListChanged().catch(() => {}));
  // The SDK has one listener and no events.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  server.onclose = silence;
  return server;
}

async function noticeOf(roots: ClientRoots, { mcpReq }: ServerContext): Promise<string | undefined> {
  const send = mcpReq.send as (request: object, options: object) => Promise<unknown>;
  const notice = await roots.ask((request, options) => send(request, { ...options, signal: mcpReq.signal }));
  if (notice === undefined) return undefined;
  await mcpReq.log(notice.level, notice.text, "haft").catch(() => {});
  return notice.isForModel ? notice.text : undefined;
}

function withText<R extends object>(result: R, text: string): R | CallToolResult {
  const { content } = result as Partial<CallToolResult>;
  return content === undefined ? result : { ...result, content: [...content, { type: "text", text }] };
}
