import { getErrorMessage } from "@haft/core";
import { newRunId } from "@haft/core/internal";
import { maskSecrets } from "@haft/core/internal/records";
import { makeFolder } from "@haft/utils";
import type { ModelMessage } from "ai";
import { appendFileSync, closeSync, constants, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import type { ConversationHead, ConversationLine, ReadConversation } from "./read-conversation.ts";

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export interface ConversationStorage {
  /** Its own folder, which no session reaches; absent where nothing is kept. */
  folder?: string | undefined;
  /** Told once. */
  warn: (message: string) => void;
}

/** What was said, and, where it is kept, its file. That a file cannot be written ends no conversation. */
export class Conversation {
  readonly #place: ConversationStorage;
  #messages: readonly ModelMessage[];
  #runId: string | undefined;
  #file: string | undefined;
  readonly #head: ConversationHead;
  #lead: string;

  private constructor(place: ConversationStorage, head: ConversationHead, read?: ReadConversation) {
    const { folder } = place;
    this.#place = place;
    this.#head = head;
    this.#messages = read?.messages ?? [];
    this.#runId = read?.runId;
    this.#file = folder === undefined ? undefined : join(folder, `${head.id}.jsonl`);
    // A new one is written with the first thing that is said; one that a crash left goes on on a line of its own.
    this.#lead = read === undefined ? `${JSON.stringify(head)}\n` : read.torn ? "\n" : "";
  }

  static begin(place: ConversationStorage, sessionKey: string): Conversation {
    return new Conversation(place, { haftChat: 1, id: newRunId(), sessionKey, startedAt: Date.now() });
  }

  static continue(place: ConversationStorage, read: ReadConversation): Conversation {
    return new Conversation(place, read.head, read);
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  get runId(): string | undefined {
    return this.#runId;
  }

  add(messages: readonly ModelMessage[], runId: string | undefined): void {
    this.#messages = [...this.#messages, ...messages];
    this.#write({ ...this.#newRun(runId), messages: keptMessages(messages) });
  }

  /** What goes on from here, where some of it is left out; what is kept stays whole. */
  setMessages(messages: readonly ModelMessage[]): void {
    this.#messages = [...messages];
  }

  /** What stood in it is not the same any more: a call that waited was decided. */
  replace(messages: readonly ModelMessage[], runId: string | undefined): void {
    this.#messages = [...messages];
    this.#write({ ...this.#newRun(runId), messages: keptMessages(messages), anew: true });
  }

  #whole(): ConversationLine {
    const messages = keptMessages(this.#messages);
    return { ...(this.#runId !== undefined && { runId: this.#runId }), messages, anew: true };
  }

  #newRun(runId: string | undefined): Pick<ConversationLine, "runId"> {
    if (runId === undefined || runId === this.#runId) return {};
    this.#runId = runId;
    return { runId };
  }

  /** Which run its calls are recorded in, where that was not known when something was said. */
  noteRun(runId: string | undefined): void {
    const line = this.#newRun(runId);
    if (line.runId !== undefined) this.#write(line);
  }

  #write(line: ConversationLine): void {
    if (this.#file === undefined || this.#place.folder === undefined) return;
    try {
      makeFolder(this.#place.folder, PRIVATE_FOLDER);
      const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
      const handle = openSync(this.#file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, PRIVATE_FILE);
      try {
        // Another program may have forgotten it meanwhile; somebody goes on with it here.
        const isGone = fstatSync(handle).size === 0 && !this.#lead.startsWith("{");
        const lines = isGone ? [this.#head, this.#whole()] : [line];
        const text = lines.map((each) => `${JSON.stringify(each)}\n`).join("");
        appendFileSync(handle, `${isGone ? "" : this.#lead}${text}`);
        this.#lead = "";
      } finally {
        closeSync(handle);
      }
    } catch (thrown) {
      this.#file = undefined;
      this.#place.warn(
        `This conversation is not kept any further, since its file cannot be written: ${getErrorMessage(thrown)}`,
      );
    }
  }
}

/** Messages as they are kept: what looks like a secret is covered, and of images stays that there was one. */
function keptMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  return maskSecrets(messages.map(withoutImages));
}

function withoutImages(message: ModelMessage): ModelMessage {
  if (message.role !== "tool") return message;
  return {
    ...message,
    content: message.content.map((part) => {
      if (part.type !== "tool-result" || part.output.type !== "content") return part;
      const texts = part.output.value.map((block) =>
        "text" in block ? block.text : "[an image, which is not kept]",
      );
      return { ...part, output: { type: "text" as const, value: texts.join("\n\n") } };
    }),
  };
}
