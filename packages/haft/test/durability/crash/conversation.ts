import { setTimeout as sleep } from "node:timers/promises";
import { checkAfterCrash } from "./check-after-crash.ts";
import type { CrashWorkspace } from "./crash-workspace.ts";
import { type Answer, type HostKill, HostRun, type Listener } from "./host-run.ts";
import { messages, type Step } from "./steps.ts";

export type Random = () => number;

/** A request for approval, as far as somebody who is to answer knows. */
interface Pending {
  readonly approvalId: string;
  readonly toolCallId: string;
  /** An answer to it may have got through. */
  isTried: boolean;
  isAnswered: boolean;
  /** The host before, when it was answered with none up: the next one has to go by that answer. */
  keptSince?: number;
}

/** What happened beside the calls. */
export interface Tally {
  kills: number;
  atPoints: number;
  runners: number;
  answerers: number;
  /** Kills that came when a call was under way. */
  during: number;
  replayed: number;
  resumed: number;
  answeredDown: number;
  /** Of these, by which the call was decided; the others went with a host that died when it had taken them. */
  answersKept: number;
  askedAnew: number;
  reusedIds: number;
  /** Copies of the file of before the next host, without their write-ahead file; and of these, that lost calls and say so. */
  walsRemoved: number;
  lossesNoticed: number;
}

/**
 * Whoever talks to a host and sees it die: repeats calls that were not answered under their ids, some of those that were,
 * and answers requests for approval while a host is up or down. Remembers all it was told.
 */
export class Conversation implements Listener {
  readonly steps: readonly Step[] = messages().flat();
  readonly tally: Tally = {
    kills: 0,
    atPoints: 0,
    runners: 0,
    answerers: 0,
    during: 0,
    replayed: 0,
    resumed: 0,
    answeredDown: 0,
    answersKept: 0,
    askedAnew: 0,
    reusedIds: 0,
    walsRemoved: 0,
    lossesNoticed: 0,
  };
  /** Final answers to each call, in the order they came. */
  readonly answers = new Map<string, Answer[]>();
  /** Calls that were under way when a host died. */
  readonly cut = new Set<string>();
  /** Calls with ids of their own that use an old id again, by what they note. */
  readonly reused = new Map<string, Answer | undefined>();
  readonly #workspace: CrashWorkspace;
  readonly #random: Random;
  readonly #pending = new Map<string, Pending>();
  readonly #sent = new Set<string>();
  #life: HostRun | undefined;
  #lives = 0;
  #reusing: string | undefined;
  #nameless: Answer | undefined;

  constructor(workspace: CrashWorkspace, random: Random) {
    this.#workspace = workspace;
    this.#random = random;
  }

  /** Whether every call has been answered. */
  get isDone(): boolean {
    return this.steps.every(({ id }) => this.answers.has(id));
  }

  onAnswer(answer: Answer): void {
    const { toolCallId: id } = answer;
    if (answer.replayed === true) this.tally.replayed++;
    if (answer.resumed === true) this.tally.resumed++;
    if (answer.kind === "pending") return this.onApproval(answer.approvalId!, id);
    if (id === TURN) {
      if (this.#reusing !== undefined) this.reused.set(this.#reusing, answer);
      this.#reusing = undefined;
    } else if (!this.steps.some((step) => step.id === id)) this.#nameless = answer;
    else this.answers.set(id, [...(this.answers.get(id) ?? []), answer]);
  }

  onApproval(approvalId: string, toolCallId: string): void {
    if (this.#pending.has(approvalId)) return;
    for (const other of this.#pending.values()) {
      if (other.toolCallId !== toolCallId) continue;
      if (!other.isTried) throw new Error(`${toolCallId} is asked about anew, and nobody had answered`);
      if (other.keptSince === this.#lives - 1)
        throw new Error(`${toolCallId} is asked about anew, and was answered while no host was up`);
      if (other.keptSince !== undefined) this.tally.answersKept--;
      delete other.keptSince;
      this.tally.askedAnew++;
    }
    this.#pending.set(approvalId, { approvalId, toolCallId, isTried: false, isAnswered: false });
  }

  /** One host, from its start to its end. Without a death it lives to the end of the conversation. */
  async live(death: HostKill | undefined): Promise<void> {
    const mode = this.#random() < 0.5 ? "wait" : "pending";
    const args = ["--session-key", "crash", "--resume", "--approvals", mode];
    this.#sent.clear();
    const life = (this.#life = new HostRun(this.#workspace, args, death, this));
    this.#lives++;
    const dying = death?.afterMs !== undefined && death.messages === 0 ? life.kill(death.afterMs) : undefined;
    await this.#converse(life, death);
    await dying;
    if (!life.isOver) {
      if (death === undefined) await life.end();
      else await life.kill(death.afterMs ?? this.#random() * 50);
    }
    this.#life = undefined;
    if (death === undefined) return;
    this.#count(life, death);
    await this.#workspace.quiet();
    await checkAfterCrash(this.#workspace, (id) => this.answers.has(id), this.tally);
    if (this.#random() < 0.8) await this.#answerAll(true);
  }

  async #converse(life: HostRun, death: HostKill | undefined): Promise<void> {
    await this.#repeatOne(life);
    await this.#useAgain(life);
    let sent = 0;
    for (const message of messages()) {
      const open = message.filter(({ id }) => !this.answers.has(id));
      if (open.length === 0) continue;
      if (life.isOver) return;
      for (const { id } of open) this.#sent.add(id);
      life.ask(open);
      if (death !== undefined && ++sent > death.messages) return;
      const isOpen = () => open.some(({ id }) => !this.answers.has(id));
      while (isOpen() && !life.isOver) {
        await life.until(
          `answers to ${open.map(({ id }) => id).join(", ")}`,
          () => !isOpen() || this.#unanswered().length > 0,
        );
        if (death?.whenAsked === true && this.#unanswered().length > 0) return;
        if (!life.isOver) await this.#answerAll(false);
      }
    }
  }

  /** A call that was answered is delivered once more. */
  async #repeatOne(life: HostRun): Promise<void> {
    const known = this.steps.filter(({ id, reads }) => reads !== true && this.answers.has(id));
    const step = known[Math.floor(this.#random() * known.length * 2)];
    if (step === undefined) return;
    const before = this.answers.get(step.id)!.length;
    life.ask([step]);
    await life.until(`${step.id} once more`, () => this.answers.get(step.id)!.length > before);
    if (life.isOver) return;
    const answer = this.answers.get(step.id)!.at(-1)!;
    if (answer.replayed !== true)
      throw new Error(`${step.id} was delivered again: ${JSON.stringify(answer)}`);
  }

  /** Many a model counts its calls from 0 in each turn. And one call that has no id at all. */
  async #useAgain(life: HostRun): Promise<void> {
    if (this.#random() < 0.5) return;
    const text = `turn-${this.#lives}`;
    this.#reusing = text;
    this.#nameless = undefined;
    this.reused.set(text, undefined);
    this.tally.reusedIds++;
    life.send({ id: TURN, name: "exec", arguments: { command: `echo ${text} >>done.turns` } });
    life.send({ name: "read", arguments: { path: "edited.txt", limit: this.#lives } });
    await life.until("two more answers", () => this.#reusing === undefined && this.#nameless !== undefined);
    this.#reusing = undefined;
    const nameless = this.#nameless as Answer | undefined;
    if (nameless !== undefined && nameless.kind !== "ok")
      throw new Error(`a call without an id: ${JSON.stringify(nameless)}`);
  }

  #unanswered(): Pending[] {
    return [...this.#pending.values()].filter(
      ({ isAnswered, toolCallId }) => !isAnswered && !this.answers.has(toolCallId),
    );
  }

  #isOver(): boolean {
    return this.#life?.isOver === true;
  }

  /** By another process, which may be killed as well. */
  async #answerAll(isDown: boolean): Promise<void> {
    for (const pending of this.#unanswered()) {
      if (this.#isOver()) return;
      const killAfterMs = this.#random() < 0.2 ? this.#random() * 500 : undefined;
      const wasTried = pending.isTried;
      pending.isTried = true;
      const { code, said } = await this.#workspace.run(
        ["approvals", "answer", pending.approvalId, "allow"],
        killAfterMs,
      );
      if (code === null) {
        this.tally.answerers++;
        continue;
      }
      // One that was killed may have been heard.
      if (code !== 0 && !wasTried && !this.#isOver() && !this.answers.has(pending.toolCallId))
        throw new Error(`${pending.toolCallId} cannot be answered (${pending.approvalId}): ${said}`);
      pending.isAnswered = true;
      if (isDown && code === 0) {
        this.tally.answeredDown++;
        this.tally.answersKept++;
        pending.keptSince = this.#lives;
      }
      await sleep(this.#random() * 30);
    }
  }

  #count(life: HostRun, { runnerAfterMs }: HostKill): void {
    if (life.ending === "other") throw new Error(`a host ended by itself:\n${life.errors}`);
    this.tally.kills++;
    if (life.ending === "point") this.tally.atPoints++;
    if (runnerAfterMs !== undefined) this.tally.runners++;
    const cut = [...this.#sent].filter((id) => !this.answers.has(id));
    if (cut.length > 0) this.tally.during++;
    for (const id of cut) this.cut.add(id);
    if (runnerAfterMs !== undefined) for (const id of this.#sent) this.cut.add(id);
  }
}

/** The id that is used again and again. */
const TURN = "call_0";
