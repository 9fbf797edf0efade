import type { ModelMessage, ToolModelMessage } from "ai";

/** Approximate characters per token. */
const CHARACTERS = 4;
/** Estimated tokens of any image. */
const IMAGE_TOKENS = 1_500;
/** Share reserved for the answer. */
const FOR_ANSWER = 0.15;
/** Share filled after a cut, so that later steps need no cut. */
const FILLED = 0.7;

const LEFT_OUT =
  "[This result was left out, because the conversation became too long. Make the call again if you need it.]";
const FORGOTTEN = "[The earlier conversation was left out, because it became too long.]";

type Result = ToolModelMessage["content"][number];

interface Fitted {
  messages: ModelMessage[];
  results: number;
  dropped: number;
  fits: boolean;
}

/** Fits a conversation into a context by estimated tokens, corrected with the endpoint's counts. */
export class ContextWindow {
  #contextTokens: number;
  readonly #fixedTokens: number;
  #factor = 1;
  #sentTokens = 0;

  /** @param fixed characters of instructions and tools in each step */
  constructor(contextTokens: number, fixed: number) {
    this.#contextTokens = contextTokens;
    this.#fixedTokens = fixed / CHARACTERS;
  }

  learn(inputTokens: number): void {
    if (inputTokens > 0 && this.#sentTokens > 0)
      this.#factor = Math.min(4, Math.max(0.5, inputTokens / this.#sentTokens));
  }

  /** The endpoint rejected a conversation as too long. */
  shrink(): void {
    this.#contextTokens = Math.floor((this.#sentTokens * this.#factor) / 2);
  }

  /** Leaves out the oldest tool results, then turns, but never the latest turn. */
  fit(messages: readonly ModelMessage[]): Fitted {
    const room = (this.#contextTokens * (1 - FOR_ANSWER)) / this.#factor - this.#fixedTokens;
    const size = sum(messages.map(tokensOf));
    const fixed = this.#fixedTokens;
    this.#sentTokens = size + fixed;
    if (size <= room) return { messages: [...messages], results: 0, dropped: 0, fits: true };
    const shorter = withoutResults(messages, size - room * FILLED);
    const left =
      size - shorter.freed > room
        ? withoutTurns(shorter.messages, size - shorter.freed - room * FILLED)
        : undefined;
    const remaining = left?.messages ?? shorter.messages;
    const now = size - shorter.freed - (left?.freed ?? 0);
    this.#sentTokens = now + fixed;
    return { messages: remaining, results: shorter.count, dropped: left?.count ?? 0, fits: now <= room };
  }
}

interface Shorter {
  messages: ModelMessage[];
  count: number;
  freed: number;
}

/** The model has not read the last message, so its results stay. */
function withoutResults(messages: readonly ModelMessage[], wanted: number): Shorter {
  let count = 0;
  let freed = 0;
  const shorten = (part: Result): Result => {
    if (part.type !== "tool-result" || freed >= wanted || isLeftOut(part)) return part;
    const short: Result = { ...part, output: { type: "text", value: LEFT_OUT } };
    freed += tokensOf(part) - tokensOf(short);
    count++;
    return short;
  };
  const shorter = messages.map((message, at) =>
    message.role === "tool" && at < messages.length - 1
      ? { ...message, content: message.content.map(shorten) }
      : message,
  );
  return { messages: shorter, count, freed };
}

/** Leaves out whole turns: providers reject answers without questions and results without calls. */
function withoutTurns(messages: readonly ModelMessage[], wanted: number): Shorter {
  const turns = messages.flatMap(({ role }, at) => (role === "user" && at > 0 ? [at] : []));
  let count = 0;
  let freed = 0;
  for (const next of turns) {
    if (freed >= wanted) break;
    freed += sum(messages.slice(count, next).map(tokensOf));
    count = next;
  }
  const [first, ...rest] = messages.slice(count);
  if (count === 0 || first?.role !== "user") return { messages: [...messages], count: 0, freed: 0 };
  return { messages: [withNote(first), ...rest], count, freed };
}

function withNote(message: Extract<ModelMessage, { role: "user" }>): ModelMessage {
  const { content } = message;
  const text =
    typeof content === "string"
      ? content
      : content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return { ...message, content: `${FORGOTTEN}\n\n${text}` };
}

function isLeftOut({ output }: Extract<Result, { type: "tool-result" }>): boolean {
  return output.type === "text" && output.value === LEFT_OUT;
}

function tokensOf(part: unknown): number {
  let images = 0;
  const text =
    JSON.stringify(part, (_key, value: unknown) => {
      if (typeof value !== "object" || value === null || !("mediaType" in value)) return value;
      images++;
      return "image";
    }) ?? "";
  return text.length / CHARACTERS + images * IMAGE_TOKENS;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0);
}
