import { contentToText, type ToolOutcome } from "@haft/core";
import { findDecisiveStep } from "@haft/core/internal";
import { maskAndTruncate } from "@haft/core/internal/records";
import type { Session, SessionEvent } from "@haft/core/kernel";
import { context, type Span, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import { toAttributes, type CallMeasures } from "./measures.ts";
import type { TelemetryContent } from "./telemetry.ts";

interface Recorders {
  readonly tracer: Tracer;
  readonly measures: CallMeasures;
  readonly content: TelemetryContent;
  readonly onEnd: () => void;
}

type CallEvent = Extract<SessionEvent, { toolCallId: string }>;
type EndOfCall = Extract<CallEvent, { type: "tool-end" }>;

interface OpenCall {
  readonly span: Span;
  /** Start of the wait for a decision, in `performance.now` milliseconds. */
  waitsSince?: number;
}

/** Makes one span per call, below the parent call or the host's active span. */
export class ObservedSession {
  readonly #session: Session;
  readonly #recorders: Recorders;
  readonly #open = new Map<string, OpenCall>();
  readonly #stop: readonly (() => void)[];

  constructor(session: Session, recorders: Recorders) {
    this.#session = session;
    this.#recorders = recorders;
    this.#stop = [
      session.subscribe((event) => this.#handle(event)),
      session.addMiddleware(({ toolCallId }, enter) => {
        const span = this.#open.get(toolCallId)?.span;
        if (span === undefined) return enter();
        context.with(trace.setSpan(context.active(), span), enter);
      }),
    ];
  }

  end(): void {
    for (const stop of this.#stop) stop();
    // Another process may continue waiting calls.
    for (const { span } of this.#open.values()) span.end();
    this.#open.clear();
    this.#recorders.onEnd();
  }

  #handle(event: SessionEvent): void {
    if (event.type === "session-closed") return this.end();
    if (event.type === "ledger") return;
    if (event.type === "tool-end") return this.#handleEnd(event);
    const call = this.#callOf(event);
    switch (event.type) {
      case "tool-start":
        // The name is now resolved and the arguments canonical.
        call.span.updateName(`execute_tool ${event.toolName}`);
        call.span.setAttribute("gen_ai.tool.name", event.toolName);
        if (this.#recorders.content.arguments === true)
          call.span.setAttribute("gen_ai.tool.call.arguments", coveredArguments(event.args));
        break;
      case "approval-requested":
        call.waitsSince = performance.now();
        call.span.addEvent("haft.approval.requested", { "haft.approval.id": event.approvalId });
        break;
      case "approval-settled":
        this.#hearSettled(event.toolName, event.approvalId, call);
        break;
      case "tool-warning":
        call.span.addEvent("haft.warning", { "haft.code": event.code });
        if (event.code.startsWith("LOOP_")) this.#countLoop(event.toolName, event.code, "warned");
        break;
      case "hook-failed":
        call.span.addEvent("haft.hook.failed", { "haft.hook": event.hook });
        break;
      case "policy-shadow": {
        const { enforced, wouldBe } = event;
        call.span.addEvent("haft.policy.shadow", {
          "haft.policy.effect": enforced,
          "haft.policy.would_be": wouldBe,
        });
        break;
      }
      case "tool-blocked":
      case "tool-update":
        break;
    }
  }

  /** `madeAt` backdates the span, since a decision may precede the first event. */
  #callOf({ toolCallId, toolName, parentCallId }: CallEvent, madeAt?: number): OpenCall {
    const known = this.#open.get(toolCallId);
    if (known !== undefined) return known;
    const made = this.#session.ledger().findLast((one) => one.toolCallId === toolCallId);
    const startTime = made?.createdAt ?? madeAt;
    const name = knownName(this.#session, toolName);
    const parent = parentCallId === undefined ? undefined : this.#open.get(parentCallId)?.span;
    const around = parent === undefined ? context.active() : trace.setSpan(context.active(), parent);
    const { key, facts, run } = this.#session;
    const attributes = toAttributes({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": toolName.slice(0, 200),
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": toolCallId.slice(0, 256),
      "gen_ai.conversation.id": key,
      "gen_ai.agent.id": facts.agentId,
      "haft.session.kind": facts.kind,
      "haft.run.id": run?.runId,
    });
    const span = this.#recorders.tracer.startSpan(
      name === undefined ? "execute_tool" : `execute_tool ${name}`,
      { attributes, ...(startTime !== undefined && { startTime }) },
      around,
    );
    const call: OpenCall = { span };
    this.#open.set(toolCallId, call);
    return call;
  }

  #hearSettled(toolName: string, approvalId: string, call: OpenCall): void {
    call.span.addEvent("haft.approval.settled", { "haft.approval.id": approvalId });
    if (call.waitsSince === undefined) return;
    const seconds = (performance.now() - call.waitsSince) / 1_000;
    delete call.waitsSince;
    this.#recorders.measures.approvals.record(seconds, this.#toolOf(toolName));
  }

  #handleEnd(event: EndOfCall): void {
    const { outcome, toolName } = event;
    this.#measure(event);
    // A replayed call did not run.
    if (outcome.replayed === true && !this.#open.has(event.toolCallId)) return;
    const { span } = this.#callOf(event, Date.now() - outcome.durationMs);
    this.#open.delete(event.toolCallId);
    const { decision } = event;
    const step = decision && findDecisiveStep(decision.trace);
    span.setAttributes(
      toAttributes({
        "gen_ai.tool.name": toolName.slice(0, 200),
        "error.type": errorOf(outcome),
        "haft.outcome": outcome.kind,
        "haft.receipt": outcome.receipt,
        "haft.resumed": outcome.resumed,
        "haft.policy.effect": decision?.effect,
        "haft.policy.decision.id": decision?.id,
        "haft.policy.layer": step?.layer,
        "haft.policy.source": step?.source,
      }),
    );
    if (this.#recorders.content.results === true)
      span.setAttribute("gen_ai.tool.call.result", coveredResult(outcome));
    // A message may quote arguments and results.
    if (outcome.kind !== "ok") span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  #measure({ outcome, toolName, decision }: EndOfCall): void {
    const { measures } = this.#recorders;
    const tool = this.#toolOf(toolName);
    const error = errorOf(outcome);
    const ended = { ...tool, "haft.outcome": outcome.kind, "haft.receipt": outcome.receipt };
    measures.calls.add(
      1,
      toAttributes({
        ...ended,
        "haft.session.kind": this.#session.facts.kind,
        "haft.replayed": outcome.replayed,
      }),
    );
    if (outcome.replayed === true) return;
    const duration = { "gen_ai.operation.name": "execute_tool", ...tool, "error.type": error };
    measures.duration.record(outcome.durationMs / 1_000, toAttributes(duration));
    if (decision !== undefined) {
      const layer = findDecisiveStep(decision.trace)?.layer;
      measures.decisions.add(
        1,
        toAttributes({ ...tool, "haft.policy.effect": decision.effect, "haft.policy.layer": layer }),
      );
    }
    if (error === "DUPLICATE_CALL") measures.duplicates.add(1, tool);
    if (error?.startsWith("LOOP_")) this.#countLoop(toolName, error, "stopped");
  }

  #countLoop(toolName: string, code: string, what: "warned" | "stopped"): void {
    this.#recorders.measures.loops.add(1, {
      ...this.#toolOf(toolName),
      "haft.code": code,
      "haft.loop": what,
    });
  }

  /** Each invented name would create a time series. */
  #toolOf(toolName: string): { "gen_ai.tool.name": string } {
    return { "gen_ai.tool.name": knownName(this.#session, toolName) ?? "_OTHER" };
  }
}

function errorOf(outcome: ToolOutcome): string | undefined {
  return outcome.kind === "ok" ? undefined : outcome.code;
}

/** Masks known secrets and truncates long texts, as the ledger does. */
function coveredArguments(args: unknown): string {
  try {
    return JSON.stringify(maskAndTruncate(args)) ?? "";
  } catch {
    return '{"unreadable":true}';
  }
}

function coveredResult({ content }: Pick<ToolOutcome, "content">): string {
  const covered = maskAndTruncate(contentToText(content));
  return typeof covered === "string" ? covered : JSON.stringify(covered);
}

const known = new WeakMap<Session, { of: unknown; names: ReadonlySet<string> }>();

function knownName(session: Session, name: string): string | undefined {
  const tools = session.tools();
  let found = known.get(session);
  // The list is replaced if tools or rules change.
  if (found?.of !== tools) {
    const names = [...tools, ...session.missing()].map((tool) => tool.name);
    known.set(session, (found = { of: tools, names: new Set(names) }));
  }
  return found.names.has(name) ? name : undefined;
}
