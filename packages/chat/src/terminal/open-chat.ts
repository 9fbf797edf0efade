import type { ToolMeta } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { ModelMessage } from "ai";
import { setTimeout as sleep } from "node:timers/promises";
import { agentInstructions } from "../agent/agent-instructions.ts";
import type { AgentEvent, AgentResult, AgentUsage, AskPerson } from "../agent/agent-options.ts";
import { listCallIds, isWaiting } from "../agent/result-part.ts";
import { runAgent } from "../agent/run-agent.ts";
import { Conversation, type ConversationStorage } from "../conversation/conversation.ts";
import { findConversation, pruneConversations } from "../conversation/find-conversation.ts";
import { type OpenedModel, openModel } from "../model/open-model.ts";
import type { ChatHost } from "./chat-host.ts";

/** Calls named to a model without their results. */
const MAX_NAMED = 20;
/** Milliseconds to wait for the run, normally 50. */
const RUN_MS = 5_000;

export class Chat {
  readonly host: ChatHost;
  readonly session: Session;
  readonly conversation: Conversation;
  model: OpenedModel;
  readonly usage: AgentUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  steps = 0;
  lastCalls: readonly string[] = [];
  readonly #notes: string[];

  constructor(
    host: ChatHost,
    session: Session,
    conversation: Conversation,
    model: OpenedModel,
    notes: readonly string[],
  ) {
    this.host = host;
    this.session = session;
    this.conversation = conversation;
    this.model = model;
    this.#notes = [...notes];
  }

  /** Reopens the conversation after the next session failed. */
  async reopen(): Promise<Chat> {
    const { host, conversation, model, usage, steps } = this;
    const session = await host.openSession(this.session.run?.runId);
    await session.continued();
    const chat = new Chat(host, session, conversation, model, this.#notes);
    return Object.assign(chat, { usage, steps });
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  async send(
    prompt: string,
    { signal, onEvent }: { signal: AbortSignal; onEvent: (event: AgentEvent) => void },
  ): Promise<AgentResult> {
    const { host, session, conversation } = this;
    const ask: AskPerson = (request, ending) =>
      host.ask!(request, { signal: ending, why: () => host.explainApproval(session, request) });
    const { maxSteps, contextTokens, stallMs } = host;
    const before = conversation.messages;
    const whole = [...this.#notes.map((note) => `(${note})`), prompt].join("\n\n");
    const firstCall = session.ledger().length;
    let isSent = false;
    const result = await runAgent({
      session,
      model: this.model.model,
      prompt: whole,
      messages: before,
      instructions: agentInstructions(session, host.location),
      signal,
      ...(host.ask && { ask }),
      ...(maxSteps !== undefined && { maxSteps }),
      ...(contextTokens !== undefined && { contextTokens }),
      ...(stallMs !== undefined && { stallMs }),
      onEvent(event) {
        if (event.type === "step") {
          const added: ModelMessage[] = isSent ? [] : [{ role: "user", content: whole }];
          isSent = true;
          conversation.add([...added, ...event.messages], session.run?.runId);
        }
        onEvent(event);
      },
    });
    if (isSent) this.#notes.length = 0;
    await this.#noteRun(firstCall);
    const settled = countWaiting(result.messages.slice(0, before.length)) < countWaiting(before);
    if (settled && result.messages.length >= before.length)
      conversation.replace(result.messages, session.run?.runId);
    else conversation.setMessages(result.messages);
    this.lastCalls = session
      .ledger()
      .slice(firstCall)
      .map(({ toolCallId }) => toolCallId);
    this.steps += result.steps;
    for (const key of ["inputTokens", "outputTokens", "cachedTokens"] as const)
      this.usage[key] += result.usage[key];
    return result;
  }

  waiting(): string[] {
    const { host, session } = this;
    return session.pendingApprovals().map((request) => {
      const call = host.summarizeCall(request.tool.name, request.args);
      return `Waits for approval: ${call}. ${host.answerCommand(request)}`;
    });
  }

  /** Read calls and their run are recorded late, but resuming needs the id. */
  async #noteRun(firstCall: number): Promise<void> {
    const { session, conversation } = this;
    const first = session.ledger()[firstCall]?.toolCallId;
    const isRecorded =
      first !== undefined && (await session.findRecord(first).catch(() => undefined)) !== undefined;
    const until = performance.now() + (isRecorded ? RUN_MS : 0);
    while (session.run === undefined && performance.now() < until) await sleep(10);
    conversation.noteRun(session.run?.runId);
  }
}

interface OpenedChat {
  chat: Chat;
  notices: string[];
}

/**
 * Opens model, session and conversation.
 *
 * @param resume `true` for the latest run, or a run's id or prefix
 * @param warn receives storage errors
 * @throws HaftError from model settings and the host's `openSession`
 */
export async function openChat(
  host: ChatHost,
  resume: true | string | undefined,
  warn: (message: string) => void,
): Promise<OpenedChat> {
  // The user did not choose these settings.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  // Reports wrong settings before a session opens.
  const model = await openModel(host.model);
  const storage: ConversationStorage = { folder: host.folder, warn };
  if (host.folder !== undefined)
    pruneConversations(host.folder, { days: host.keepDays, bytes: host.keepBytes });
  if (resume === undefined)
    return {
      chat: new Chat(host, await host.openSession(), Conversation.begin(storage, host.sessionKey), model, []),
      notices: [],
    };
  const latest =
    resume === true && host.folder !== undefined ? findConversation(host.folder, host.sessionKey) : undefined;
  const session =
    latest !== undefined && latest.runId === undefined
      ? await host.openSession()
      : await host.openSession(latest?.runId ?? resume);
  const runId = session.run?.runId;
  const found =
    latest ??
    (host.folder === undefined || runId === undefined
      ? undefined
      : findConversation(host.folder, host.sessionKey, runId));
  await session.continued();
  const conversation =
    found === undefined
      ? Conversation.begin(storage, host.sessionKey)
      : Conversation.continue(storage, found);
  const notices: string[] = [];
  if (found === undefined) notices.push("The earlier messages are not stored; only calls are continued.");
  else {
    const userMessages = found.messages.filter(({ role }) => role === "user").length;
    notices.push(
      `Continuing a conversation of ${new Date(found.head.startedAt).toLocaleString()}: ${userMessages} ${userMessages === 1 ? "message" : "messages"} of yours.`,
    );
    if (found.broken > 0) notices.push(`${found.broken} lines of its file are unreadable and were left out.`);
  }
  const unseen = unseenCalls(session.ledger(), conversation.messages);
  const notes = unseen.length === 0 ? [] : [describeUnseen(unseen)];
  if (unseen.length > 0)
    notices.push(
      unseen.length === 1
        ? "The next message informs the model of 1 call whose result it has not read."
        : `The next message informs the model of ${unseen.length} calls whose results it has not read.`,
    );
  return { chat: new Chat(host, session, conversation, model, notes), notices };
}

function countWaiting(messages: readonly ModelMessage[]): number {
  return messages.flatMap((message) => (message.role === "tool" ? message.content.filter(isWaiting) : []))
    .length;
}

/** Results of these calls were not stored before the program ended. */
function unseenCalls(
  ledger: readonly Readonly<ToolMeta>[],
  messages: readonly ModelMessage[],
): Readonly<ToolMeta>[] {
  const seen = new Set(listCallIds(messages));
  return ledger.filter(
    ({ toolCallId, answeredAs, parentCallId }) =>
      parentCallId === undefined &&
      !seen.has(toolCallId) &&
      !(answeredAs !== undefined && seen.has(answeredAs)),
  );
}

function describeUnseen(calls: readonly Readonly<ToolMeta>[]): string {
  const named = calls.slice(-MAX_NAMED).map(({ toolName, args, outcome, status, receipt }) => {
    const shown = JSON.stringify(args)?.slice(0, 300) ?? "";
    return `${toolName} ${shown}: ${outcome ?? status}${receipt === "unknown" ? ", with unknown effects" : ""}`;
  });
  return `You were interrupted. You made these calls and have not read their results:\n${named.join("\n")}`;
}
