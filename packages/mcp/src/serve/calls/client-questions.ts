import { mcpError } from "../../errors.ts";
import type { ClientQuestion } from "./served-client.ts";

/** Milliseconds that somebody has for an answer; that of requests themselves is for programs. */
export const CLIENT_ANSWER_MS = 30 * 60_000;

export interface QuestionRound {
  readonly round: number;
  readonly questions: Readonly<Record<string, ClientQuestion>>;
}

/** What a call asks, one round after the other, and where the answers come in: by other requests than it did, perhaps. */
export class ClientQuestions {
  #round = 0;
  #open: (QuestionRound & { answered: PromiseWithResolvers<Readonly<Record<string, unknown>>> }) | undefined;
  #next = Promise.withResolvers<QuestionRound>();

  async ask(questions: QuestionRound["questions"]): Promise<Readonly<Record<string, unknown>>> {
    if (this.#open !== undefined)
      throw mcpError("MCP_CLIENT_SILENT", "The client is being asked something by this call already.");
    const answered = Promise.withResolvers<Readonly<Record<string, unknown>>>();
    const open = (this.#open = { round: this.#round++, questions, answered });
    const late = setTimeout(() => this.fail(open, "did not answer in time"), CLIENT_ANSWER_MS);
    late.unref();
    this.#next.resolve(open);
    try {
      return await answered.promise;
    } finally {
      clearTimeout(late);
    }
  }

  next(): Promise<QuestionRound> {
    return this.#open === undefined ? this.#next.promise : Promise.resolve(this.#open);
  }

  /** Brings the answers. False for those of another round, which count for nothing. */
  answer(round: number, answers: Readonly<Record<string, unknown>>): boolean {
    const open = this.#open;
    if (open?.round !== round) return false;
    this.#next = Promise.withResolvers();
    this.#open = undefined;
    open.answered.resolve(answers);
    return true;
  }

  fail(asked: QuestionRound, why: string, capabilities?: readonly string[]): void {
    if (this.#open?.round !== asked.round) return;
    const { answered } = this.#open;
    this.#next = Promise.withResolvers();
    this.#open = undefined;
    const more = capabilities === undefined ? {} : { details: { capabilities } };
    answered.reject(mcpError("MCP_CLIENT_SILENT", `The client ${why}.`, more));
  }
}
