import { checkValue } from "@haft/core/internal";
import type {
  CallToolResult,
  ClientCapabilities,
  ElicitRequestFormParams,
  InputRequiredResult,
  jsonSchemaValidator,
  RequestStateCodec,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import { mcpError } from "../errors.ts";
import { answerOf, approvalForm, type FormResponse } from "./ask-client.ts";
import { type Conversation, resultOfError } from "./conversation.ts";
import * as sdk from "./sdk.ts";
import { tellProgress } from "./tell-progress.ts";
import { isSame, type Waiting, type WantedCall } from "./waiting-calls.ts";

/** What a client brings back with a request that goes on with an earlier one. */
export interface CallState {
  /** Of the call, in the ledger. */
  readonly call: string;
}

/** Made by whoever serves, once for all that it serves: a state that is not of its own is refused. */
export type CallStates = RequestStateCodec<CallState>;

const VERSION = "0.0.0";
/** Milliseconds that somebody has for an answer; that of requests themselves is for programs. */
const ANSWER_MS = 30 * 60_000;

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
    try {
      const state = context.mcpReq.requestState<CallState>();
      if (state !== undefined) return await goOn(conversation, params, { state, server, context });
      return await callAnew(conversation, params, { server, era, context, states });
    } catch (thrown) {
      return resultOfError(thrown);
    }
  });
  const silence = conversation.onToolsChanged(() => void server.sendToolListChanged().catch(() => {}));
  // It has no events, and one listener.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  server.onclose = silence;
  return server;
}

async function callAnew(
  conversation: Conversation,
  wanted: WantedCall,
  {
    server,
    era,
    context,
    states,
  }: { server: Server; era: "legacy" | "modern"; context: ServerContext; states: CallStates },
): Promise<CallToolResult | InputRequiredResult> {
  const { signal, log } = context.mcpReq;
  const progress = tellProgress(context);
  try {
    const answered = await conversation.call(wanted, {
      signal,
      onUpdate: progress.onUpdate,
      onWarning: ({ code, message }) => void log("warning", { code, message }, "haft").catch(() => {}),
    });
    if ("result" in answered) return answered.result;
    const { waiting } = answered;
    if (waiting.request === undefined || !canAsk(server, context) || !(await conversation.clientDecides()))
      return await conversation.stillWaiting(waiting);
    const form = approvalForm(waiting.request);
    if (era === "legacy") return await askNow(conversation, waiting, { form, context, server });
    return sdk.inputRequired({
      inputRequests: { approval: sdk.inputRequired.elicit(form) },
      requestState: await states.mint({ call: waiting.id }, context),
    });
  } finally {
    progress.end();
  }
}

/** Asks over the connection, as clients of before 2026 have it, and waits for the answer, or for one given elsewhere. */
async function askNow(
  conversation: Conversation,
  waiting: Waiting,
  { form, context, server }: { form: ElicitRequestFormParams; context: ServerContext; server: Server },
): Promise<CallToolResult> {
  const { signal, elicitInput } = context.mcpReq;
  const elsewhere = new AbortController();
  const abort = () => waiting.abort();
  signal.addEventListener("abort", abort, { once: true });
  void waiting.ended.then(() => elsewhere.abort());
  try {
    const options = { signal: AbortSignal.any([signal, elsewhere.signal]), timeout: ANSWER_MS };
    const response = await elicitInput(form, options).catch(() => undefined);
    const answer = answerOf(waiting.request!, response, clientOf(server, context));
    if (answer === undefined) return await conversation.stillWaiting(waiting);
    return await conversation.decide(waiting, answer);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** A request that brings the answer to what an earlier one asked: the same call, which is in the ledger once. */
async function goOn(
  conversation: Conversation,
  wanted: WantedCall,
  { state, server, context }: { state: CallState; server: Server; context: ServerContext },
): Promise<CallToolResult> {
  const waiting = conversation.waiting(state.call);
  if (waiting === undefined || !isSame(waiting.wanted, wanted))
    throw mcpError(
      "MCP_STATE_MISMATCH",
      "The request goes on with a call that is another one, or not known any more.",
    );
  const { inputResponses, signal } = context.mcpReq;
  const { request } = waiting;
  const answer =
    request !== undefined && (await conversation.clientDecides())
      ? answerOf(request, inputResponses?.["approval"] as FormResponse, clientOf(server, context))
      : undefined;
  if (answer === undefined) return conversation.stillWaiting(waiting);
  signal.addEventListener("abort", waiting.abort, { once: true });
  try {
    return await conversation.decide(waiting, answer);
  } finally {
    signal.removeEventListener("abort", waiting.abort);
  }
}

/** Whether a form can be shown to whoever sits there. One that says of elicitation nothing else means forms. */
function canAsk(server: Server, { mcpReq }: ServerContext): boolean {
  // Of a connection of before 2026 they are those of its beginning.
  const capabilities =
    mcpReq.envelope === undefined
      ? server.getClientCapabilities()
      : (membersOf(mcpReq.envelope)[sdk.CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined);
  const { elicitation } = capabilities ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function clientOf(server: Server, { mcpReq }: ServerContext): string | undefined {
  if (mcpReq.envelope === undefined) return server.getClientVersion()?.name;
  const { name } = membersOf(membersOf(mcpReq.envelope)[sdk.CLIENT_INFO_META_KEY]);
  return typeof name === "string" ? name : undefined;
}

function membersOf(value: unknown): Record<string, unknown> {
  return Object(value) as Record<string, unknown>;
}
