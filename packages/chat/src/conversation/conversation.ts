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
  /** Unreachable for sessions; absent without storage. */
  folder?: string | undefined;
  warn: (message: string) => void;
}

/** Stores messages in a file; after a failed write, it continues without storage. */
export class Conversation {
  readonly #storage: ConversationStorage;
  #messages: readonly ModelMessage[];
  #runId: string | undefined;
  #file: string | undefined;
  readonly #head: ConversationHead;
  #lead: string;

  private constructor(storage: ConversationStorage, head: ConversationHead, read?: ReadConversation) {
    const { folder } = storage;
    this.#storage = storage;
    this.#head = head;
    this.#messages = read?.messages ?? [];
    this.#runId = read?.runId;
    this.#file = folder === undefined ? undefined : join(folder, `${head.id}.jsonl`);
    // The first message writes the head. A new line follows a torn line.
    this.#lead = read === undefined ? `${JSON.stringify(head)}\n` : read.torn ? "\n" : "";
  }

  static begin(storage: ConversationStorage, sessionKey: string): Conversation {
    return new Conversation(storage, { haftChat: 1, id: newRunId(), sessionKey, startedAt: Date.now() });
  }

  static continue(storage: ConversationStorage, read: ReadConversation): Conversation {
    return new Conversation(storage, read.head, read);
  }

  get messages(): readonly ModelMessage[] {
    return this.#messages;
  }

  get runId(): string | undefined {
    return this.#runId;
  }

  add(messages: readonly ModelMessage[], runId: string | undefined): void {
    this.#messages = [...this.#messages, ...messages];
    this.#write({ ...this.#newRun(runId), messages: toStoredMessages(messages) });
  }

  /** Replaces the messages in memory; the file remains complete. */
  setMessages(messages: readonly ModelMessage[]): void {
    this.#messages = [...messages];
  }

  /** Replaces messages in memory and file after a decision about a waiting call. */
  replace(messages: readonly ModelMessage[], runId: string | undefined): void {
    this.#messages = [...messages];
    this.#write({ ...this.#newRun(runId), messages: toStoredMessages(messages), anew: true });
  }

  #whole(): ConversationLine {
    const messages = toStoredMessages(this.#messages);
    return { ...(this.#runId !== undefined && { runId: this.#runId }), messages, anew: true };
  }

  #newRun(runId: string | undefined): Pick<ConversationLine, "runId"> {
    if (runId === undefined || runId === this.#runId) return {};
    this.#runId = runId;
    return { runId };
  }

  /** Records a run whose id was unknown at the messages. */
  noteRun(runId: string | undefined): void {
    const line = this.#newRun(runId);
    if (line.runId !== undefined) this.#write(line);
  }

  #write(line: ConversationLine): void {
    if (this.#file === undefined || this.#storage.folder === undefined) return;
    try {
      makeFolder(this.#storage.folder, PRIVATE_FOLDER);
      const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
      const handle = openSync(this.#file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, PRIVATE_FILE);
      try {
        const isMissing = fstatSync(handle).size === 0 && !this.#lead.startsWith("{");
        const lines = isMissing ? [this.#head, this.#whole()] : [line];
        const text = lines.map((each) => `${JSON.stringify(each)}\n`).join("");
        appendFileSync(handle, `${isMissing ? "" : this.#lead}${text}`);
        this.#lead = "";
      } finally {
        closeSync(handle);
      }
    } catch (thrown) {
      this.#file = undefined;
      this.#storage.warn(
        `This conversation is no longer stored, because its file cannot be written: ${getErrorMessage(thrown)}`,
      );
    }
  }
}

function toStoredMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  return maskSecrets(messages.map(withoutImages));
}

function withoutImages(message: ModelMessage): ModelMessage {
  if (message.role !== "tool") return message;
  return {
    ...message,
    content: message.content.map((part) => {
      if (part.type !== "tool-result" || part.output.type !== "content") return part;
      const texts = part.output.value.map((block) =>
        "text" in block ? block.text : "[an image, which is not stored]",
      );
      return { ...part, output: { type: "text" as const, value: texts.join("\n\n") } };
    }),
  };
}
