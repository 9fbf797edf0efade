import { findExceededBound } from "@haft/core/internal";
import { asRecord } from "@haft/utils";
import {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  type McpHttpHandler,
  originValidationResponse,
  readRequestBody,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { randomUUID } from "node:crypto";
import { DEFAULT_SESSIONS } from "../../defaults.ts";
import { type CallStates, createCallStates } from "../calls/call-state.ts";
import { McpConversation } from "../conversation.ts";
import { createMcpServer } from "../create-mcp-server.ts";
import { PendingRequestIds, describeDuplicateId } from "../pending-request-ids.ts";
import type { HttpLimits, Tenant } from "./http-options.ts";
import { acquireSession, releaseSession, type OpenHttpSession, HttpSessions } from "./idle-sessions.ts";
import { refuse } from "./refuse.ts";

/** Names a conversation, for clients without sessions or to resume one. */
const SESSION_HEADER = "haft-session";
const MCP_SESSION_HEADER = "mcp-session-id";
const SESSION_NAME = /^[\w.:-]{1,64}$/;

interface LegacySession extends OpenHttpSession {
  handle(request: Request): Promise<Response>;
}

interface Answering {
  response: Response;
  session?: OpenHttpSession | undefined;
}

/** Rejects requests of foreign web pages by host name or origin. */
export function createOriginCheck(names: readonly string[]): (request: Request) => Response | undefined {
  const hosts = [...localhostAllowedHostnames(), ...names];
  return (request) =>
    hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, hosts);
}

export class ServedTenant {
  readonly #tenant: Tenant;
  readonly #limits: HttpLimits;
  readonly #onProblem: (message: string) => void;
  readonly #named: HttpSessions;
  readonly #legacy: HttpSessions;
  readonly #states: CallStates;
  readonly #modern: McpHttpHandler;
  readonly #conversations = new WeakMap<Request, McpConversation>();

  constructor(tenant: Tenant, limits: HttpLimits, onProblem: (message: string) => void) {
    this.#tenant = tenant;
    this.#limits = limits;
    this.#onProblem = onProblem;
    const most = limits.sessions ?? DEFAULT_SESSIONS;
    this.#named = new HttpSessions(most);
    this.#legacy = new HttpSessions(most);
    this.#states = createCallStates();
    this.#modern = createMcpHandler(
      ({ requestInfo }) => {
        const conversation = requestInfo && this.#conversations.get(requestInfo);
        if (conversation === undefined) throw new Error("The request is unknown.");
        return createMcpServer(conversation, { era: "modern", states: this.#states });
      },
      { legacy: "reject", onerror: ({ message }) => onProblem(message), ...this.#ofBodies() },
    );
  }

  async answer(request: Request): Promise<Answering> {
    const name = request.headers.get(SESSION_HEADER) ?? undefined;
    if (name !== undefined && !SESSION_NAME.test(name))
      return { response: refuse(400, "Haft-Session must have 1 to 64 letters, digits or . : _ -.") };
    if (await this.#isTooComplex(request)) return { response: refuse(400, TOO_COMPLEX, { code: -32_600 }) };
    const id = request.headers.get(MCP_SESSION_HEADER);
    if (id !== null) return this.#continueLegacy(request, id);
    const bodyBytes = this.#ofBodies();
    if (!(await isLegacyRequest(request, undefined, bodyBytes))) return this.#answerModern(request, name);
    if (request.method !== "POST") return { response: refuse(400, "Mcp-Session-Id is missing.") };
    return this.#beginLegacy(request, name);
  }

  async refreshTools(): Promise<void> {
    const all = [...this.#named.all(), ...this.#legacy.all()];
    await Promise.all(all.map(({ conversation }) => conversation.refreshTools()));
  }

  async closeIdle(since: number): Promise<void> {
    await Promise.all([this.#named.closeIdle(since), this.#legacy.closeIdle(since)]);
  }

  async close(): Promise<void> {
    await this.#modern.close();
    await Promise.all([this.#named.closeAll(), this.#legacy.closeAll()]);
  }

  async #answerModern(request: Request, name: string | undefined): Promise<Answering> {
    const { key, isShared } = modernConversation(name, await this.#messagesIn(request));
    let session = this.#named.get(key);
    if (session === undefined) {
      const releaseSlot = await this.#named.reserve();
      if (releaseSlot === undefined) return { response: this.#full() };
      try {
        const conversation = await this.#conversation(name, { isShared });
        session = this.#named.get(key) ?? opened(conversation, () => conversation.close());
        if (session.conversation === conversation) {
          conversation.onToolsChanged(() => this.#modern.notify.toolsChanged());
          this.#named.add(key, session);
        }
      } finally {
        releaseSlot();
      }
    }
    this.#conversations.set(request, session.conversation);
    return counted(session, () => this.#modern.fetch(request));
  }

  async #beginLegacy(request: Request, name: string | undefined): Promise<Answering> {
    const releaseSlot = await this.#legacy.reserve();
    if (releaseSlot === undefined) return { response: this.#full() };
    try {
      return await this.#openLegacy(request, name);
    } finally {
      releaseSlot();
    }
  }

  async #openLegacy(request: Request, name: string | undefined): Promise<Answering> {
    const conversation = await this.#conversation(name);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => this.#legacy.add(id, session),
      onsessionclosed: (id) => void this.#legacy.close(id),
      ...this.#ofBodies(),
    });
    const server = await createMcpServer(conversation, { era: "legacy", states: this.#states });
    const ids = new PendingRequestIds();
    ids.watch(transport);
    const session: LegacySession = {
      ...opened(conversation, async () => {
        await server.close();
        await conversation.close();
      }),
      handle: async (wanted) => {
        const messages = await this.#messagesIn(wanted);
        const inUse = ids.take(messages);
        // The earlier request would get this answer.
        if (inUse !== undefined) return refuse(400, describeDuplicateId(inUse), { code: -32_600 });
        const response = await transport.handleRequest(wanted);
        if (!response.ok) ids.release(messages);
        return response;
      },
    };
    await server.connect(transport);
    const answering = await counted(session, () => session.handle(request));
    // Without an initialized session, no request can follow.
    if (transport.sessionId === undefined) void session.close();
    return answering;
  }

  async #continueLegacy(request: Request, id: string): Promise<Answering> {
    const session = this.#legacy.get(id) as LegacySession | undefined;
    if (session === undefined)
      return {
        response: refuse(404, "This session does not exist, or not for this token. Start a new session."),
      };
    return counted(session, () => session.handle(request));
  }

  async #conversation(name: string | undefined, how = {}): Promise<McpConversation> {
    const source = await this.#tenant.source(name);
    return new McpConversation(source, { onProblem: this.#onProblem, ...this.#tenant }, how);
  }

  async #messagesIn(request: Request): Promise<readonly unknown[]> {
    try {
      return [JSON.parse(await this.#textOf(request)) as unknown].flat();
    } catch {
      return [];
    }
  }

  async #isTooComplex(request: Request): Promise<boolean> {
    return findExceededBound(await this.#textOf(request), MAX_REQUEST_VALUES) !== undefined;
  }

  /** Returns the body; empty above the SDK's size limit. */
  async #textOf(request: Request): Promise<string> {
    if (request.method !== "POST") return "";
    const read = await readRequestBody(request.clone(), this.#limits.bodyBytes).catch(() => undefined);
    return read === undefined || read.tooLarge ? "" : read.text;
  }

  #full(): Response {
    const most = this.#limits.sessions ?? DEFAULT_SESSIONS;
    const message = `${most} sessions of this token are in use, which is the limit. End a session, or raise serve.limits.sessions.`;
    return refuse(429, message);
  }

  #ofBodies(): { maxRequestBodySize?: number } {
    const { bodyBytes } = this.#limits;
    return bodyBytes === undefined ? {} : { maxRequestBodySize: bodyBytes };
  }
}

/** Twice the argument limit, so that most oversized calls get the specific error. */
const MAX_REQUEST_VALUES = 100_000;
const TOO_COMPLEX = `A request has at most ${MAX_REQUEST_VALUES} values and names, and 200 levels. Send the arguments in parts.`;

async function counted(session: OpenHttpSession, handle: () => Promise<Response>): Promise<Answering> {
  acquireSession(session);
  try {
    return { response: await handle(), session };
  } catch (thrown) {
    releaseSession(session);
    throw thrown;
  }
}

function opened(conversation: McpConversation, close: () => Promise<void>): OpenHttpSession {
  return { conversation, active: 0, lastUsed: performance.now(), close };
}

/** Characters of a client's self-description; longer ones share a session. */
const LONGEST = 300;

interface ModernConversation {
  /** Names and keys of unnamed conversations never coincide. */
  readonly key: string;
  /** True if a client's conversations cannot be distinguished. */
  readonly isShared: boolean;
}

/**
 * Without sessions (2026), `Haft-Session` names the conversation. Otherwise the client's name and version
 * select a shared conversation.
 */
function modernConversation(name: string | undefined, messages: readonly unknown[]): ModernConversation {
  if (name !== undefined) return { key: name, isShared: false };
  const [message] = messages;
  const meta = asRecord(asRecord(asRecord(message)["params"])["_meta"]);
  const { name: client, version } = asRecord(meta[CLIENT_INFO_META_KEY]);
  const key = JSON.stringify(["client", client, version]);
  return { key: key.length > LONGEST ? "[]" : key, isShared: true };
}
