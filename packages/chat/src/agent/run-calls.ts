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

/** The calls of one step: run in the session, a person being asked where one has to decide. */
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

  /** What the AI SDK needs to make them: the tools of this moment. */
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
      // In the order in which the model wrote them, also when a person is asked about one.
      toolCallConcurrency: 1,
      repairToolCall: async (broken) => {
        const repaired = await repair(broken);
        const { toolName: name } = broken.toolCall;
        // One that was not offered is there now, as the bridge put it there.
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

  /** Resolves once none runs any more: also behind an abort each has its outcome, and its place in the ledger. */
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
    // That the run ends is no answer to what a person was asked: such a call is not aborted with it.
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
