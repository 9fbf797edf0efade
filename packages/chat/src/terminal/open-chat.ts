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

/** Calls that are named to a model that has not seen their answers. */
const MAX_NAMED = 20;
/** Milliseconds that are waited for a run: it comes within 50, where the store is not in trouble, of which the session tells. */
const RUN_MS = 5_000;

export class Chat {
  readonly host: ChatHost;
  readonly session: Session;
  readonly conversation: Conversation;
  model: OpenedModel;
  readonly usage: AgentUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
  steps = 0;
  lastCalls: readonly string[] = [];
  /** What the model is told with the next thing that is said. */
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

  /** The same conversation, in a session that is opened anew: this one was closed for another, which could not be opened. */
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
    let isSaid = false;
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
          const said: ModelMessage[] = isSaid ? [] : [{ role: "user", content: whole }];
          isSaid = true;
          conversation.add([...said, ...event.messages], session.run?.runId);
        }
        onEvent(event);
      },
    });
    if (isSaid) this.#notes.length = 0;
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

  /** Calls that only read are recorded a moment later, and their run with them: by its id people go on with what was said. */
  async #noteRun(firstCall: number): Promise<void> {
    const { session, conversation } = this;
    const first = session.ledger()[firstCall]?.toolCallId;
    // Where nothing is recorded there is no run to wait for.
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
 * Opens the model, the session and the conversation: new ones, or those that are continued.
 *
 * @param resume the latest, or a run by its id or the beginning of it
 * @param warn told what goes wrong with keeping it
 * @throws HaftError what is wrong with the model, and as the host's `openSession`
 */
export async function openChat(
  host: ChatHost,
  resume: true | string | undefined,
  warn: (message: string) => void,
): Promise<OpenedChat> {
  // The SDK would print on the terminal what it thinks of settings that nobody here chose.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  // What is wrong with it is said before a session begins.
  const model = await openModel(host.model);
  const place: ConversationStorage = { folder: host.folder, warn };
  if (host.folder !== undefined)
    pruneConversations(host.folder, { days: host.keepDays, bytes: host.keepBytes });
  if (resume === undefined)
    return {
      chat: new Chat(host, await host.openSession(), Conversation.begin(place, host.sessionKey), model, []),
      notices: [],
    };
  const latest =
    resume === true && host.folder !== undefined ? findConversation(host.folder, host.sessionKey) : undefined;
  // One without a call has no run.
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
    found === undefined ? Conversation.begin(place, host.sessionKey) : Conversation.continue(place, found);
  const notices: string[] = [];
  if (found === undefined) notices.push("What was said before is not kept; only calls are continued.");
  else {
    const said = found.messages.filter(({ role }) => role === "user").length;
    notices.push(
      `Continuing a conversation of ${new Date(found.head.startedAt).toLocaleString()}: ${said} ${said === 1 ? "message" : "messages"} of yours.`,
    );
    if (found.broken > 0) notices.push(`${found.broken} lines of its file cannot be read, and are left out.`);
  }
  const unseen = unseenCalls(session.ledger(), conversation.messages);
  const notes = unseen.length === 0 ? [] : [describeUnseen(unseen)];
  if (unseen.length > 0)
    notices.push(
      unseen.length === 1
        ? "The model is told of 1 call whose answer it has not seen."
        : `The model is told of ${unseen.length} calls whose answers it has not seen.`,
    );
  return { chat: new Chat(host, session, conversation, model, notes), notices };
}

function countWaiting(messages: readonly ModelMessage[]): number {
  return messages.flatMap((message) => (message.role === "tool" ? message.content.filter(isWaiting) : []))
    .length;
}

/** Calls of the model that are not in the conversation: the program ended before their answer was kept. */
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
    return `${toolName} ${shown}: ${outcome ?? status}${receipt === "unknown" ? ", and nobody knows what it did" : ""}`;
  });
  return `You were interrupted. These calls of yours were made, and you have not seen their answers:\n${named.join("\n")}`;
}
