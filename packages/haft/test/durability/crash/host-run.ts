import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { type CrashWorkspace, findRunner } from "./crash-workspace.ts";
import type { Step } from "./steps.ts";

/** An answer to a call, as `haft run --json` gives it. */
export interface Answer {
  toolCallId: string;
  toolName: string;
  kind: "ok" | "error" | "blocked" | "pending" | "cancelled";
  code?: string;
  approvalId?: string;
  receipt: string;
  content: { text?: string }[];
  replayed?: boolean;
  resumed?: boolean;
}

/** A line that is no answer to a call. */
interface Event {
  control: string;
  approvalId: string;
  toolCallId: string;
}

/** How one host is to end. */
export interface HostKill {
  /** By the parent after so long, once the host has had so many messages; or by itself, at such a point. */
  readonly afterMs?: number;
  readonly messages: number;
  readonly point?: string;
  /** By the parent as soon as it has asked for approval, before anybody has answered. */
  readonly whenAsked?: true;
  /** Its runner is killed first, after so long; it may go on for a while. */
  readonly runnerAfterMs?: number;
}

export interface Listener {
  onAnswer(answer: Answer): void;
  onApproval(approvalId: string, toolCallId: string): void;
}

/** One host: a process of `haft run`, until it is killed. */
export class HostRun {
  readonly #child: ReturnType<CrashWorkspace["start"]>;
  readonly #ended: Promise<void>;
  readonly #waiting = new Set<() => void>();
  #errors = "";
  #isKilled = false;
  #isOver = false;

  constructor(
    workspace: CrashWorkspace,
    args: readonly string[],
    death: HostKill | undefined,
    listener: Listener,
  ) {
    this.#child = workspace.start(["run", "--json", "--parallel", ...args], death?.point);
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#errors += text));
    // Written to one that is dead.
    this.#child.stdin.on("error", () => {});
    const lines = createInterface({ input: this.#child.stdout });
    lines.on("line", (line) => {
      const value = readLine(line);
      if (value === undefined) return;
      if (!("control" in value)) listener.onAnswer(value);
      else if (value.control === "approval") listener.onApproval(value.approvalId, value.toolCallId);
      for (const check of this.#waiting) check();
    });
    this.#ended = this.#end();
    if (death?.runnerAfterMs !== undefined) setTimeout(() => this.#killRunner(), death.runnerAfterMs).unref();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** What it said on standard error. */
  get errors(): string {
    return this.#errors;
  }

  send(value: unknown): void {
    this.#child.stdin.write(`${JSON.stringify(value)}\n`);
  }

  ask(steps: readonly Step[]): void {
    const calls = steps.map(({ id, name, arguments: given }) => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(given) },
    }));
    this.send({ role: "assistant", tool_calls: calls });
  }

  /** Resolves when something is so, or the process is over. */
  async until(what: string, isSo: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const check = () => (this.#isOver || isSo()) && resolve();
    const limit = setTimeout(
      () => reject(new Error(`it never came about: ${what}\n${this.#errors}`)),
      100_000,
    );
    this.#waiting.add(check);
    check();
    try {
      await promise;
    } finally {
      clearTimeout(limit);
      this.#waiting.delete(check);
    }
  }

  async kill(afterMs = 0): Promise<void> {
    await sleep(afterMs);
    this.#isKilled = true;
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** Has it end in order. @throws When it does not */
  async end(): Promise<void> {
    this.#child.stdin.end();
    await this.#ended;
    if (this.#child.exitCode !== 0)
      throw new Error(
        `haft run ended with ${this.#child.exitCode ?? this.#child.signalCode}\n${this.#errors}`,
      );
  }

  /** How it came to its end: a kill of the parent, a point it reached, or none of these. */
  get ending(): "killed" | "point" | "other" {
    if (this.#isKilled) return "killed";
    return this.#child.signalCode === "SIGKILL" ? "point" : "other";
  }

  async #end(): Promise<void> {
    await once(this.#child, "close");
    this.#isOver = true;
    for (const check of this.#waiting) check();
  }

  #killRunner(): void {
    const { pid } = this.#child;
    const runner = pid === undefined || this.#isOver ? undefined : findRunner(pid);
    if (runner !== undefined) process.kill(runner, "SIGKILL");
  }
}

/** A line that was cut is no line. */
function readLine(line: string): Answer | Event | undefined {
  try {
    return JSON.parse(line) as Answer | Event;
  } catch {
    return undefined;
  }
}
