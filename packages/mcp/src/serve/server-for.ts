import { checkValue } from "@haft/core/internal";
import type { jsonSchemaValidator, Server } from "@modelcontextprotocol/server";
import { CallRequest } from "./calls/call-request.ts";
import type { CallState, CallStates } from "./calls/call-state.ts";
import type { Conversation } from "./conversation.ts";
import * as sdk from "./sdk.ts";
import { resultOfError } from "./tools/result-of-outcome.ts";

const VERSION = "0.0.0";

/** The one that the library brings takes 300 kB, and is asked about forms only, which are looked at where they are read. */
const FORMS: jsonSchemaValidator = {
  getValidator: (schema) => (input) =>
    checkValue(schema, input, 1).length === 0
      ? { valid: true, data: input as never, errorMessage: undefined }
      : { valid: false, data: undefined, errorMessage: "It is not what was asked for." },
};

/** A server of the library for one connection, or one request, of a conversation. */
export async function serverFor(
  conversation: Conversation,
  { era, states }: { era: "legacy" | "modern"; states: CallStates },
): Promise<Server> {
  const { name = "haft", version = VERSION } = conversation.options;
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
  server.setRequestHandler("tools/list", async () => ({ tools: await conversation.tools() }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const request = new CallRequest(conversation, { server, context, states, isLegacy: era === "legacy" });
    try {
      const state = context.mcpReq.requestState<CallState>();
      return await (state === undefined ? request.begin(params) : request.goOn(params, state));
    } catch (thrown) {
      // What the protocol has a word for is for the client; all else is for the model.
      if (thrown instanceof sdk.ProtocolError) throw thrown;
      return resultOfError(thrown);
    }
  });
  const silence = conversation.onToolsChanged(() => void server.sendToolListChanged().catch(() => {}));
  // It has no events, and one listener.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  server.onclose = silence;
  return server;
}
