import type { PastCall } from "../../../contract/ledger-port.ts";

/** Ids of calls from before a resume, and what another use of one means. */
export class OldIds {
  /** By the id they came with, the oldest first. */
  readonly #calls = new Map<string, PastCall[]>();
  /** What they are called in the run. */
  readonly #taken = new Set<string>();
  /** Old ones that were used since, for calls of their own. */
  readonly #used = new Set<string>();

  constructor(past: readonly PastCall[]) {
    for (const call of past) {
      if (call.status === "gap") continue;
      const { toolCallId, answeredAs = toolCallId } = call;
      this.#taken.add(toolCallId);
      const others = this.#calls.get(answeredAs);
      if (others === undefined) this.#calls.set(answeredAs, [call]);
      else others.push(call);
    }
  }

  /**
   * The call of before that is delivered once more: the same tool, the same arguments, for the first time, and no poll,
   * which is made to be repeated.
   *
   * @param isTool whether a canonical name is the one that is called
   */
  takeRedelivered(
    id: string,
    argsDigest: string,
    isTool: (toolName: string) => boolean,
  ): PastCall | undefined {
    if (this.#used.has(id)) return undefined;
    const calls = this.#calls.get(id);
    const found = calls?.findLastIndex(
      (call) => call.argsDigest === argsDigest && call.poll !== true && isTool(call.toolName),
    );
    return found === undefined || found < 0 ? undefined : calls!.splice(found, 1)[0];
  }

  /**
   * What a call is called in its run: `ID#2` where the id is an old one, and is used for the first time since.
   *
   * @param isTaken whether a call of the run is called so
   */
  idFor(id: string, isTaken: (id: string) => boolean): string {
    if (this.#used.has(id) || !(this.#calls.has(id) || this.#taken.has(id))) return id;
    this.#used.add(id);
    let uses = 2;
    while (isTaken(`${id}#${uses}`)) uses++;
    return `${id}#${uses}`;
  }
}
