import { mcpError } from "../../errors.ts";
import type { ClientQuestion } from "./served-client.ts";

/** Milliseconds for answers of people. */
export const CLIENT_ANSWER_MS = 30 * 60_000;

export interface QuestionRound {
  readonly round: number;
  readonly questions: Readonly<Record<string, ClientQuestion>>;
}

/** Holds a call's questions in rounds, because answers may come with other requests. */
export class ClientQuestions {
  #round = 0;
  #open: (QuestionRound & { answered: PromiseWithResolvers<Readonly<Record<string, unknown>>> }) | undefined;
  #next = Promise.withResolvers<QuestionRound>();

  async ask(questions: QuestionRound["questions"]): Promise<Readonly<Record<string, unknown>>> {
    if (this.#open !== undefined)
      throw mcpError("MCP_CLIENT_SILENT", "This call already waits for an answer of the client.");
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

  /** Delivers answers; false for another round, whose answers are ignored. */
  answer(round: number, answers: Readonly<Record<string, unknown>>): boolean {
    const open = this.#open;
    if (open?.round !== round) return false;
    this.#next = Promise.withResolvers();
    this.#open = undefined;
    open.answered.resolve(answers);
    return true;
  }

  fail(failedRound: QuestionRound, why: string, capabilities?: readonly string[]): void {
    if (this.#open?.round !== failedRound.round) return;
    const { answered } = this.#open;
    this.#next = Promise.withResolvers();
    this.#open = undefined;
    const more = capabilities === undefined ? {} : { details: { capabilities } };
    answered.reject(mcpError("MCP_CLIENT_SILENT", `The client ${why}.`, more));
  }
}
