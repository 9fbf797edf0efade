import { HaftError, messageOf, type CallRequest, type Session } from "@haft/core";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { answerLine, errorLine, type AnswerStyle } from "./answers.ts";
import type { Control } from "./parse-line.ts";
import { readRequests } from "./read-requests.ts";

export interface ServeOptions extends AnswerStyle {
  /** Run the calls of one message at once. Answers stay in order. */
  parallel: boolean;
}

/**
 * Answers requests from `input` on `output`, one line each, in order, until the input ends.
 * Reading goes on while calls run, so that an abort reaches the call it is for.
 */
export async function serve(
  session: Session,
  input: Readable,
  output: Writable,
  options: ServeOptions,
): Promise<void> {
  const write = async (line: string) => {
    if (!output.write(`${line}\n`)) await once(output, "drain");
  };
  /** Everything but aborts happens one after the other. */
  let queue: Promise<void> = Promise.resolve();
  /** Calls accepted and not yet begun, so that an abort that comes early is kept. */
  const abortedEarly = new Set<string>();
  const accepted = new Set<string>();

  const runCall = async (call: CallRequest) => {
    if (call.id !== undefined) accepted.delete(call.id);
    const signal = call.id !== undefined && abortedEarly.delete(call.id) ? AbortSignal.abort() : undefined;
    return session.call(call, signal ? { signal } : {});
  };
  const runCalls = async (calls: readonly CallRequest[]) => {
    if (options.parallel) {
      const running = calls.map(runCall);
      for (const outcome of running) await write(answerLine(await outcome, options));
    } else {
      for (const call of calls) await write(answerLine(await runCall(call), options));
    }
  };
  const abort = (id: string) => {
    const running = session.abort(id);
    if (!running && accepted.has(id)) abortedEarly.add(id);
    void write(JSON.stringify({ control: "abort", id, aborted: running || accepted.has(id) }));
  };

  for await (const request of readRequests(input)) {
    switch (request.kind) {
      case "broken":
        queue = queue.then(() => write(errorLine("INVALID_LINE", request.message, options, request.id)));
        break;
      case "calls":
        for (const { id } of request.calls) if (id !== undefined) accepted.add(id);
        queue = queue.then(() => runCalls(request.calls));
        break;
      case "control": {
        const { control } = request;
        if (control.control === "abort") abort(control.id);
        else queue = queue.then(() => answerControl(session, control, write, options));
      }
    }
  }
  await queue;
}

async function answerControl(
  session: Session,
  control: Exclude<Control, { control: "abort" }>,
  write: (line: string) => Promise<void>,
  style: AnswerStyle,
): Promise<void> {
  switch (control.control) {
    case "ledger":
      return write(JSON.stringify(session.ledger()));
    case "tools":
      return write(JSON.stringify({ control: "tools", tools: session.tools(), missing: session.missing() }));
    case "explain":
      return write(
        JSON.stringify({ control: "explain", ...(await session.explain(control.name, control.arguments)) }),
      );
    case "approve":
      try {
        return write(answerLine(await session.resolveApproval(control.approvalId, control.decision), style));
      } catch (thrown) {
        return write(errorLine(HaftError.is(thrown) ? thrown.code : "INTERNAL", messageOf(thrown), style));
      }
  }
}
