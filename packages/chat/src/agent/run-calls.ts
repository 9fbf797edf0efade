import { type AISDKTool, type AISDKTools, toAISDK } from "@haft/adapters/ai-sdk";
import type { ToolOutcome } from "@haft/core";
import type { Session } from "@haft/core/kernel";
import type { AgentOptions, AskPerson } from "./agent-options.ts";
import { decidePending } from "./decide-pending.ts";

type Tool = AISDKTool;

export interface CallAnswer {
  output: ReturnType<Tool["toModelOutput"]>;
  waits: boolean;
}

export class StepCalls {
  readonly #session: Session;
  readonly #sender: AgentOptions["sender"];
  readonly #ask: AskPerson | undefined;
  readonly #signal: AbortSignal;
  readonly #answers = new Map<string, CallAnswer>();
  readonly #running = new Set<Promise<ToolOutcome>>();

  constructor(
    session: Session,
    {
      ask,
      sender,
      signal,
    }: { ask: AskPerson | undefined; sender: AgentOptions["sender"]; signal: AbortSignal },
  ) {
    this.#session = session;
    this.#sender = sender;
    this.#ask = ask;
    this.#signal = signal;
  }

  tools(): AISDKTools & { toolCallConcurrency: 1 } {
    const bridged = toAISDK(this.#session, this.#sender === undefined ? {} : { sender: this.#sender });
    const { repairToolCall: repair } = bridged;
    const offered = new Set(Object.keys(bridged.tools));
    const tools = Object.fromEntries(
      Object.entries(bridged.tools).map(([name, tool]) => [name, this.#watched(tool)]),
    );
    return {
      ...bridged,
      tools,
      // Calls keep the model's order, even while a person answers.
      toolCallConcurrency: 1,
      repairToolCall: async (broken) => {
        const repaired = await repair(broken);
        const { toolName: name } = broken.toolCall;
        // The bridge adds tools during a step.
        const value = (broken.tools as Record<string, Tool>)[name];
        if (value !== undefined && !offered.has(name))
          Object.defineProperty(broken.tools, name, { value: this.#watched(value), configurable: true });
        return repaired;
      },
    };
  }

  answer(toolCallId: string): CallAnswer | undefined {
    return this.#answers.get(toolCallId);
  }

  /** Waits for outcomes in the ledger, even after an abort. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  #watched(tool: Tool): Tool {
    return {
      ...tool,
      execute: async (input, options) => {
        const running = this.#call(tool, input, options);
        this.#running.add(running);
        const outcome = await running;
        this.#running.delete(running);
        const { toolCallId } = options;
        const output = tool.toModelOutput({ toolCallId, input, output: outcome });
        this.#answers.set(toolCallId, { output, waits: outcome.kind === "pending" });
        return outcome;
      },
    };
  }

  async #call(tool: Tool, input: unknown, options: Parameters<Tool["execute"]>[1]): Promise<ToolOutcome> {
    const signal = this.#signal;
    // The run's end must not abort a waiting call.
    const call = new AbortController();
    const abort = () => call.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    const outcome = await tool.execute(input, { ...options, abortSignal: call.signal });
    signal.removeEventListener("abort", abort);
    if (outcome.kind !== "pending" || this.#ask === undefined) return outcome;
    return decidePending(this.#session, outcome, this.#ask, signal);
  }
}
