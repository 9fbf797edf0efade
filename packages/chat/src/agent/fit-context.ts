import type { ModelMessage, ToolModelMessage } from "ai";

/** Characters that are about a token. */
const CHARACTERS = 4;
/** An image, whatever its bytes are. */
const IMAGE_TOKENS = 1_500;
/** Of the context, what is kept free for the answer. */
const FOR_ANSWER = 0.15;
/** Of what there is, what is filled once something has to be left out: so that it is not left out a little each time. */
const FILLED = 0.7;

const LEFT_OUT =
  "[This result was left out, since the conversation became too long. Make the call again if you need it.]";
const FORGOTTEN = "[What was said before this was left out, since the conversation became too long.]";

type Result = ToolModelMessage["content"][number];

interface Fitted {
  messages: ModelMessage[];
  results: number;
  dropped: number;
  fits: boolean;
}

/** Keeps a conversation within the context of its model. Counts roughly, and learns from what the endpoint counts. */
export class ContextWindow {
  #contextTokens: number;
  readonly #fixedTokens: number;
  /** Tokens by the endpoint's count for each by ours. */
  #factor = 1;
  #asked = 0;

  /** @param fixed characters of instructions and tools, which are sent with each step */
  constructor(contextTokens: number, fixed: number) {
    this.#contextTokens = contextTokens;
    this.#fixedTokens = fixed / CHARACTERS;
  }

  /** The endpoint said how much it was. */
  learn(inputTokens: number): void {
    if (inputTokens > 0 && this.#asked > 0)
      this.#factor = Math.min(4, Math.max(0.5, inputTokens / this.#asked));
  }

  /** The endpoint said that it was too much, whatever we were told of its context. */
  shrink(): void {
    this.#contextTokens = Math.floor((this.#asked * this.#factor) / 2);
  }

  /** Leaves out the oldest results of tools, then the oldest messages, until it fits. What was said last always stays. */
  fit(messages: readonly ModelMessage[]): Fitted {
    const room = (this.#contextTokens * (1 - FOR_ANSWER)) / this.#factor - this.#fixedTokens;
    const size = sum(messages.map(tokensOf));
    const fixed = this.#fixedTokens;
    this.#asked = size + fixed;
    if (size <= room) return { messages: [...messages], results: 0, dropped: 0, fits: true };
    const shorter = withoutResults(messages, size - room * FILLED);
    const left =
      size - shorter.freed > room
        ? withoutTurns(shorter.messages, size - shorter.freed - room * FILLED)
        : undefined;
    const kept = left?.messages ?? shorter.messages;
    const now = size - shorter.freed - (left?.freed ?? 0);
    this.#asked = now + fixed;
    return { messages: kept, results: shorter.count, dropped: left?.count ?? 0, fits: now <= room };
  }
}

interface Shorter {
  messages: ModelMessage[];
  count: number;
  freed: number;
}

/** Without the oldest results of tools; what the model is about to read stays, since it called for it. */
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

/** Without the oldest turns, each whole: an answer without its question, or a result without its call, is refused. */
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
