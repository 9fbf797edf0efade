import { requireKnownOptions } from "@haft/core/internal";
import type { Session } from "@haft/core/kernel";
import { withoutUndefined } from "@haft/utils";
import type { AgentEvent, AgentResult } from "../agent/agent-options.ts";
import type { ChatHost } from "./chat-host.ts";
import { describeUsage } from "./describe-usage.ts";
import { Interrupts, handleTermination } from "./interrupts.ts";
import { type Chat, openChat } from "./open-chat.ts";
import { toPrintable } from "./screen.ts";

/**
 * Configures {@link runOnce}.
 *
 * @example
 * ```ts
 * import type { RunOnceOptions } from "@haft/chat";
 * const { signal: outputClosed } = new AbortController();
 * const { stdout: output, stderr: errors } = process;
 * const options: RunOnceOptions = { prompt: "Summarize TODO.md.", json: true, output, errors, outputClosed };
 * ```
 */
export interface RunOnceOptions {
  /** Contains the message of the user. */
  prompt: string;
  /** Continues a conversation: `true` for the latest, or a run's id. */
  resume?: true | string | undefined;
  /** Writes lines of JSON instead of text. */
  json: boolean;
  /** Receives the answer. */
  output: { write(text: string): unknown };
  /** Receives everything else, such as errors. */
  errors: { write(text: string): unknown };
  /** Aborts when the reader of the output has closed it. */
  outputClosed: AbortSignal;
}

const FAILED = 1;
const WAITS = 3;

/**
 * Answers one message, then closes the host.
 *
 * @returns the exit code: 0 if the model finished, 1 if not, 3 if calls wait for approval, 128 plus a
 * signal's number
 * @throws HaftError if the run cannot start
 *
 * @example
 * ```ts
 * import { runOnce, type ChatHost } from "@haft/chat";
 * declare const host: ChatHost;
 * const { signal: outputClosed } = new AbortController();
 * const { stdout: output, stderr: errors } = process;
 * const code = await runOnce(host, { prompt: "Explain the build.", json: false, output, errors, outputClosed });
 * ```
 */
export async function runOnce(host: ChatHost, options: RunOnceOptions): Promise<number> {
  requireKnownOptions<RunOnceOptions>("runOnce", options, {
    prompt: true,
    resume: true,
    json: true,
    output: true,
    errors: true,
    outputClosed: true,
  });
  const { prompt, resume, json, output, errors, outputClosed } = options;
  const say = (text: string): void => void errors.write(`haft: ${text}\n`);
  let interrupts: Interrupts | undefined;
  let chat: Chat | undefined;
  let isInterrupted = false;
  const interrupt = (): void => {
    isInterrupted = true;
    interrupts?.end();
  };
  const leaving = handleTermination(() => {
    interrupts?.end();
    void host.close();
  }, interrupt);
  outputClosed.addEventListener("abort", () => interrupts?.end(), { once: true });
  try {
    const opened = await openChat(host, resume, say);
    ({ chat } = opened);
    if (resume !== undefined) for (const notice of opened.notices) say(notice);
    const { session } = chat;
    interrupts = new Interrupts(session, () => {});
    if (isInterrupted) interrupts.end();
    const shown = json ? jsonLines(chat, output) : words(chat, output, errors);
    const result = await chat.send(prompt, {
      signal: interrupts.signal,
      onEvent: (event) => shown.told(event),
    });
    shown.end(result);
    if (!json) reportEnd(chat, result, say);
    const code = leaving.code() ?? (isInterrupted ? 130 : undefined);
    if (code !== undefined) return code;
    if (result.ended !== "done") return FAILED;
    return session.pendingApprovals().length > 0 ? WAITS : 0;
  } finally {
    interrupts?.dispose();
    await host.close();
    leaving.dispose();
  }
}

/** The model's text goes to standard output, its calls to standard error. */
function words({ host, session }: Chat, output: RunOnceOptions["output"], errors: RunOnceOptions["output"]) {
  let isInText = false;
  const endText = (): void => {
    if (isInText) output.write("\n");
    isInText = false;
  };
  const unsubscribe = session.subscribe((event) => {
    if (event.type !== "tool-end") return;
    endText();
    const args = session.ledger().find(({ toolCallId }) => toolCallId === event.toolCallId)?.args;
    const { outcome } = event;
    const how = outcome.kind === "ok" ? "" : `: ${outcome.kind} ${outcome.code}`;
    errors.write(`● ${host.summarizeCall(event.toolName, args)}${how}\n`);
  });
  return {
    told(event: AgentEvent): void {
      if (event.type === "text") {
        isInText = true;
        output.write(toPrintable(event.text));
      } else if (event.type === "text-end") endText();
    },
    end(): void {
      endText();
      unsubscribe();
    },
  };
}

function reportEnd(chat: Chat, { ended, error }: AgentResult, say: (text: string) => void): void {
  const { host, session, usage, steps } = chat;
  if (error !== undefined)
    say(`${error.message}${error.fix === undefined ? "" : `\n${error.fix}`} [${error.code}]`);
  if (ended === "step-limit") say(`stopped after ${steps} answers of the model; --limit allows more.`);
  if (ended === "length") say("the answer reached the model's output limit.");
  if (steps > 0) say(describeUsage(usage, steps));
  for (const text of chat.waiting()) say(text);
  const runId = session.run?.runId;
  if (runId !== undefined) say(`To continue: ${host.resumeCommand(runId)}`);
}

function jsonLines(chat: Chat, output: RunOnceOptions["output"]) {
  const { session, model } = chat;
  const write = (line: object): void => void output.write(`${JSON.stringify(line)}\n`);
  write({ type: "begin", model: model.name, where: model.where, sessionKey: session.key });
  let answer = "";
  const endText = (): void => {
    if (answer !== "") write({ type: "text", text: answer });
    answer = "";
  };
  const unsubscribe = session.subscribe((event) => {
    if (event.type === "tool-start") {
      const { toolCallId, toolName, args } = event;
      write({ type: "call", toolCallId, toolName, args });
    } else if (event.type === "approval-requested") {
      const { approvalId, toolCallId, toolName, reason, request } = event;
      write({ type: "approval", approvalId, toolCallId, toolName, args: request.args, reason });
    } else if (event.type === "tool-end") {
      const { toolCallId, toolName, outcome } = event;
      const { kind, content, details, durationMs, receipt } = outcome;
      const code = kind === "ok" ? undefined : outcome.code;
      write(
        withoutUndefined({
          type: "result",
          toolCallId,
          toolName,
          kind,
          code,
          content,
          details,
          durationMs,
          receipt,
        }),
      );
    }
  });
  return {
    told(event: AgentEvent): void {
      if (event.type === "text") answer += event.text;
      else if (event.type === "text-end") endText();
      else if (event.type === "left-out") write(event);
    },
    end({ ended, error, text, steps, usage }: AgentResult): void {
      endText();
      unsubscribe();
      write(
        withoutUndefined({
          type: "end",
          ended,
          error: error && withoutUndefined({ error: error.code, message: error.message, fix: error.fix }),
          text,
          steps,
          usage,
          runId: session.run?.runId,
          waiting: waitingIn(session),
        }),
      );
    },
  };
}

function waitingIn(session: Session): string[] {
  return session.pendingApprovals().map(({ approvalId }) => approvalId);
}
