import { formatToolResult } from "@haft/core";
import type { Session, SessionEvent } from "@haft/core/kernel";
import type { AgentEvent } from "../agent/agent-options.ts";
import type { ChatCall, ChatHost, ChatStatus } from "./chat-host.ts";
import { toPrintable, type Screen } from "./screen.ts";
import { showOutcome } from "./show-outcome.ts";

export class RunRenderer {
  readonly #screen: Screen;
  readonly #host: ChatHost;
  readonly #session: Session;
  readonly #calls = new Map<string, { live: ChatCall; output: LiveOutput }>();
  readonly #named = new Set<string>();
  readonly #unsubscribe: () => void;
  readonly #modelName: string;
  #status: ChatStatus | undefined;
  #isInText = false;

  constructor(screen: Screen, host: ChatHost, session: Session, modelName: string) {
    this.#screen = screen;
    this.#host = host;
    this.#session = session;
    this.#modelName = modelName;
    this.#unsubscribe = session.subscribe((event) => this.#happened(event));
  }

  handleEvent(event: AgentEvent): void {
    switch (event.type) {
      case "asking":
        return this.#wait(this.#modelName);
      case "writing-call":
        return this.#wait(`${this.#modelName} writes a call of ${event.toolName}`);
      case "text":
        this.#endWaiting();
        this.#isInText = true;
        return this.#screen.write(toPrintable(event.text));
      case "text-end":
        return this.#endText();
      case "left-out": {
        const { results, messages } = event;
        const what = [
          results > 0 && `${results} old results`,
          messages > 0 && `${messages} old messages`,
        ].filter(Boolean);
        return this.#note(`The conversation became too long: ${what.join(" and ")} were left out.`);
      }
      case "reasoning":
      case "step":
    }
  }

  end(): void {
    this.#endWaiting();
    this.#endText();
    this.#unsubscribe();
  }

  #note(text: string): void {
    this.#endWaiting();
    this.#endText();
    this.#screen.line(this.#screen.style("dim", `(${text})`));
  }

  #happened(event: SessionEvent): void {
    if (!("toolCallId" in event)) return;
    const { toolCallId, toolName } = event;
    if (event.type === "approval-requested") this.#name(toolCallId, toolName, event.request.args);
    if (event.type === "tool-start") {
      this.#name(toolCallId, toolName, event.args);
      const output = new LiveOutput(this.#screen);
      this.#calls.set(toolCallId, { output, live: this.#host.follow(this.#session, event, output) });
    }
    if (event.type !== "tool-end" || event.outcome.kind === "pending") return;
    const { outcome } = event;
    const args = this.#session.ledger().find((entry) => entry.toolCallId === toolCallId)?.args;
    this.#name(toolCallId, toolName, args);
    const shown = this.#calls.get(toolCallId);
    this.#calls.delete(toolCallId);
    const result = formatToolResult(outcome, "plain");
    const rest = shown === undefined ? result : shown.live.end(result);
    shown?.output.end();
    showOutcome(this.#screen, outcome, rest, shown?.output.hasShown === true);
  }

  #name(toolCallId: string, toolName: string, args: unknown): void {
    this.#endWaiting();
    this.#endText();
    if (this.#named.has(toolCallId)) return;
    this.#named.add(toolCallId);
    this.#screen.line(`${this.#screen.style("cyan", "●")} ${this.#host.summarizeCall(toolName, args)}`);
  }

  #wait(name: string): void {
    this.#endText();
    this.#endWaiting();
    this.#status = this.#host.status?.(name);
    this.#status?.begin();
  }

  #endWaiting(): void {
    this.#status?.end();
    this.#status = undefined;
  }

  #endText(): void {
    if (this.#isInText) this.#screen.write("\n");
    this.#isInText = false;
  }
}

/** Live lines per call; ledger and model get all. */
const MAX_LINES = 60;

class LiveOutput {
  readonly #screen: Screen;
  #lines = 0;
  #isInLine = false;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  get hasShown(): boolean {
    return this.#lines > 0;
  }

  write(text: string): void {
    for (const part of toPrintable(text).split(/(?<=\n)/)) {
      if (!this.#isInLine && ++this.#lines > MAX_LINES) {
        if (this.#lines === MAX_LINES + 1) this.#screen.line(this.#screen.style("dim", "    …"));
        continue;
      }
      if (this.#lines > MAX_LINES) continue;
      const lead = this.#isInLine ? "" : "    ";
      this.#isInLine = !part.endsWith("\n");
      this.#screen.write(
        `${lead}${this.#screen.style("dim", part.replace(/\n$/, ""))}${this.#isInLine ? "" : "\n"}`,
      );
    }
  }

  end(): void {
    if (this.#isInLine) this.#screen.write("\n");
    this.#isInLine = false;
  }
}
