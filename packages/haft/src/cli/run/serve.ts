import { HaftError, getErrorMessage, type ApprovalRequestRecord } from "@haft/core";
import { checkSender, listChoices } from "@haft/core/internal";
import {
  type CallOptions,
  type CallRequest,
  type ExplainOptions,
  type Session,
  formatApproval,
} from "@haft/core/kernel";
import type { Reload } from "@haft/host/internal/host";
import { bypassCapture } from "@haft/plugin-loader/internal/plugins";
import { withoutUndefined } from "@haft/utils";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { waitForAbort } from "../call/signal-listener.ts";
import { refuseInSession } from "../refuse-in-session.ts";
import { answerLine, errorLine, type AnswerStyle } from "./answers.ts";
import type { Control } from "./parse-line.ts";
import { readRequests } from "./read-requests.ts";

export interface ServeRunOptions extends AnswerStyle {
  parallel: boolean;
  /** Aborts when the program ends; later calls get no answer. */
  leaving: AbortSignal;
  reportsApprovals: boolean;
  reload: () => Promise<Reload>;
}

/** Answers in order, one line per request. Reads on while calls run, for aborts and approvals. */
export async function serve(
  session: Session,
  input: Readable,
  output: Writable,
  options: ServeRunOptions,
): Promise<void> {
  const write = async (line: string) => {
    if (!bypassCapture(() => output.write(`${line}\n`))) await once(output, "drain");
  };
  /** Excludes aborts, approvals and reloads. */
  let queue: Promise<void> = Promise.resolve();
  /** Early aborts of calls that have not started. */
  const abortedEarly = new Set<string>();
  const accepted = new Set<string>();
  /** These get a second line when they end. */
  const pending = new Set<string>();

  const atOnce = new Set<Promise<void>>();
  const resumed = followResumed(session);
  const unsubscribe = session.subscribe((event) => {
    if (event.type === "tool-end" && (pending.delete(event.toolCallId) || event.outcome.resumed === true)) {
      void write(answerLine(event.outcome, options));
    } else if (event.type === "approval-requested" && options.reportsApprovals) {
      void write(approvalLine(event.request));
    }
  });
  /** The following calls' sender, which each call checks. */
  let sender: CallOptions["sender"];
  const runCall = async (call: CallRequest, of: CallOptions["sender"]) => {
    if (call.id !== undefined) accepted.delete(call.id);
    const signal = call.id !== undefined && abortedEarly.delete(call.id) ? AbortSignal.abort() : undefined;
    const outcome = await session.call(call, withoutUndefined({ signal, sender: of }));
    if (outcome.kind === "pending") pending.add(outcome.toolCallId);
    return outcome;
  };
  const runCalls = async (calls: readonly CallRequest[], of: CallOptions["sender"]) => {
    if (options.parallel && !options.leaving.aborted) {
      const running = calls.map((call) => runCall(call, of));
      for (const outcome of running) await write(answerLine(await outcome, options));
    } else {
      for (const call of calls) {
        // The exit could cut the session's refusal.
        if (options.leaving.aborted) return;
        await write(answerLine(await runCall(call, of), options));
      }
    }
  };
  const abort = (id: string) => {
    const running = session.abort(id);
    if (!running && accepted.has(id)) abortedEarly.add(id);
    void write(JSON.stringify({ control: "abort", id, aborted: running || accepted.has(id) }));
  };

  const isPending = (id: string) =>
    session
      .pendingApprovals()
      .some(({ approvalId, toolCallId }) => approvalId === id && pending.has(toolCallId));

  const chained = (calls: readonly CallRequest[], of: CallOptions["sender"]) => () => runCalls(calls, of);

  for await (const request of readRequests(input)) {
    switch (request.kind) {
      case "broken":
        queue = queue.then(() => write(errorLine("INVALID_LINE", request.message, options, request.id)));
        break;
      case "calls":
        for (const { id } of request.calls) if (id !== undefined) accepted.add(id);
        queue = queue.then(chained(request.calls, sender));
        break;
      case "control": {
        const { control } = request;
        if (control.control === "abort") abort(control.id);
        else if (control.control === "sender") {
          // An invalid sender makes calls fail.
          const named = control.sender === undefined ? "" : control.sender;
          sender = named === null ? undefined : (named as CallOptions["sender"]);
          queue = queue.then(() => write(senderLine(named, options)));
        } else if (control.control === "reload") {
          // A running call may wait for a newly denied tool. Later lines wait for the reload.
          const reloaded = answerReload(options, write);
          queue = queue.then(() => reloaded);
        }
        // A waiting call may block the queue.
        else if (isAtOnce(control) || (control.control === "approve" && !isPending(control.approvalId))) {
          const answered = answerControl(session, control, write, { ...options, of: {} });
          atOnce.add(answered);
          void answered.finally(() => atOnce.delete(answered));
        } else {
          const of = withoutUndefined<ExplainOptions>({ sender });
          queue = queue.then(() => answerControl(session, control, write, { ...options, of }));
        }
      }
    }
  }
  await queue;
  await Promise.race([Promise.all([...atOnce, resumed.ended()]), waitForAbort(options.leaving)]);
  unsubscribe();
}

/** After an error, calls need another sender line. */
function senderLine(sender: unknown, options: ServeRunOptions): string {
  try {
    if (sender !== null) checkSender("sender", sender);
    return JSON.stringify({ control: "sender", sender });
  } catch (thrown) {
    return errorLine(codeOf(thrown), getErrorMessage(thrown), options);
  }
}

function approvalLine(request: ApprovalRequestRecord): string {
  return JSON.stringify({ control: "approval", ...approvalFacts(request) });
}

function isAtOnce({ control }: Control): boolean {
  return control === "approvals" || control === "run";
}

async function answerReload(options: ServeRunOptions, write: (line: string) => Promise<void>): Promise<void> {
  try {
    return await write(JSON.stringify({ control: "reload", ...(await options.reload()) }));
  } catch (thrown) {
    return write(errorLine(codeOf(thrown), getErrorMessage(thrown), options));
  }
}

function codeOf(thrown: unknown): string {
  return HaftError.is(thrown) ? thrown.code : "INTERNAL";
}

async function answerControl(
  session: Session,
  control: Exclude<Control, { control: "abort" | "reload" | "sender" }>,
  write: (line: string) => Promise<void>,
  style: AnswerStyle & { of: ExplainOptions },
): Promise<void> {
  switch (control.control) {
    case "ledger":
      return write(ledgerLine(session, control.wrap));
    case "approvals":
      await session.continued();
      return write(approvalsLine(session));
    case "run":
      await session.continued();
      return write(runLine(session));
    case "tools":
      return write(JSON.stringify({ control: "tools", tools: session.tools(), missing: session.missing() }));
    case "explain":
      try {
        const explained = await session.explain(control.name, control.arguments, style.of);
        return await write(JSON.stringify({ control: "explain", ...explained }));
      } catch (thrown) {
        return write(errorLine(codeOf(thrown), getErrorMessage(thrown), style));
      }
    case "approve":
      try {
        refuseInSession("answer requests for approval");
        await session.continued();
        // The subscription writes the outcome.
        await session.resolveApproval(control.approvalId, control.answer);
      } catch (thrown) {
        return write(errorLine(codeOf(thrown), getErrorMessage(thrown), style));
      }
  }
}

/** Waits for resumed calls that were allowed. */
function followResumed(session: Session): { ended(): Promise<void> } {
  const waited = new Set(
    session
      .ledger()
      .filter(({ status }) => status === "pending")
      .map(({ toolCallId }) => toolCallId),
  );
  if (waited.size === 0) return { ended: () => session.continued() };
  const running = new Set<string>();
  let whenNone: (() => void) | undefined;
  const unsubscribe = session.subscribe((event) => {
    if (event.type === "tool-start" && waited.has(event.toolCallId)) running.add(event.toolCallId);
    if (event.type === "tool-end" && running.delete(event.toolCallId) && running.size === 0) whenNone?.();
  });
  return {
    async ended() {
      await session.continued();
      if (running.size > 0) await new Promise<void>((resolve) => (whenNone = resolve));
      unsubscribe();
    },
  };
}

// Answers name their control line, unlike answers to calls.

function approvalFacts(request: ApprovalRequestRecord) {
  const { approvalId, toolCallId, tool, reason, expiresAt, offers } = request;
  return {
    approvalId,
    toolCallId,
    toolName: tool.name,
    reason,
    decisions: listChoices(request),
    grants: [...new Set(offers.map(({ kind }) => kind))],
    expiresAt,
    text: formatApproval(request),
  };
}

function approvalsLine(session: Session): string {
  return JSON.stringify({
    control: "approvals",
    approvals: session.pendingApprovals().map(approvalFacts),
  });
}

/** Without `wrap`, a bare list for compatibility. */
function ledgerLine(session: Session, wrap: boolean): string {
  const calls = session.ledger();
  return JSON.stringify(wrap ? { control: "ledger", calls } : calls);
}

function runLine(session: Session): string {
  const { runId = null, epoch = null } = session.run ?? {};
  const calls = session.ledger();
  return JSON.stringify({
    control: "run",
    runId,
    epoch,
    sessionKey: session.key,
    calls: calls.length,
    waiting: session.pendingApprovals().map(({ approvalId, toolCallId }) => ({ approvalId, toolCallId })),
    interrupted: calls.filter(({ code }) => code === "INTERRUPTED").map(({ toolCallId }) => toolCallId),
  });
}
