import type { NotifyTarget } from "@haft/config/internal/settings";
import { type ApprovalRequestRecord, type Logger, getErrorMessage } from "@haft/core";
import type { NoticeStore } from "@haft/store";
import { escapeInvisible } from "@haft/utils";
import { basename } from "node:path";
import { toNotice } from "./notice-text.ts";

const NOTICE_LIMIT_MS = 5_000;
const AT_ONCE = 4;
const MAX_WAITING = 100;

export interface NotifierOptions {
  targets: readonly NotifyTarget[];
  notices: () => NoticeStore | Promise<NoticeStore>;
  /** Options that `haft approvals` needs to find the calls. */
  approvalOptions?: readonly [string, string][];
  logger?: Logger | undefined;
  /** Milliseconds; {@link NOTICE_LIMIT_MS} unless a test sets it. */
  withinMs?: number;
}

/** Sends notices of pending calls. It never delays a call, and no reply answers a call. */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #targets: readonly Target[];
  readonly #running = new Set<Promise<void>>();

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#targets = options.targets.map((target, index) => ({
      told: target,
      name: nameOfTarget(target, index),
      running: 0,
      waiting: [],
      hasFailed: false,
    }));
  }

  /** Notifies each target once about a pending call, across processes. */
  notify(request: ApprovalRequestRecord): void {
    for (const target of this.#targets) {
      const work = this.#notifyOne(target, request).catch((thrown: unknown) =>
        this.#failed(target, getErrorMessage(thrown)),
      );
      this.#running.add(work);
      void work.finally(() => this.#running.delete(work));
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #notifyOne(target: Target, request: ApprovalRequestRecord): Promise<void> {
    const { approvalId } = request;
    const { notices, approvalOptions, withinMs = NOTICE_LIMIT_MS } = this.#options;
    // Includes reading earlier notices, which a remote store may delay.
    const signal = AbortSignal.timeout(withinMs);
    const book = await notices();
    if (!(await book.begin(approvalId, target.name, Date.now()))) return;
    let problem: string | undefined;
    try {
      await turnOf(target, signal);
      try {
        await send(target.told, toNotice(request, approvalOptions), signal);
      } finally {
        endTurn(target);
      }
      target.hasFailed = false;
    } catch (thrown) {
      problem = getErrorMessage(thrown);
      this.#failed(target, problem);
    }
    await book.end(approvalId, target.name, problem);
  }

  #failed(target: Target, problem: string): void {
    if (target.hasFailed) return;
    target.hasFailed = true;
    this.#options.logger?.warn(
      `${target.name} did not get the notice of a call that waits for approval: ${problem}. The call still waits; haft approvals lists later failures.`,
    );
  }
}

interface Target {
  told: NotifyTarget;
  name: string;
  running: number;
  waiting: PromiseWithResolvers<void>[];
  hasFailed: boolean;
}

async function turnOf(target: Target, signal: AbortSignal): Promise<void> {
  if (target.running < AT_ONCE) {
    target.running++;
    return;
  }
  if (target.waiting.length >= MAX_WAITING) throw new Error("too many notices are waiting");
  const turn = Promise.withResolvers<void>();
  const onAbort = () => {
    target.waiting.splice(target.waiting.indexOf(turn), 1);
    turn.reject(new Error("others before it took too long"));
  };
  target.waiting.push(turn);
  signal.addEventListener("abort", onAbort);
  await turn.promise.finally(() => signal.removeEventListener("abort", onAbort));
}

function endTurn(target: Target): void {
  const next = target.waiting.shift();
  if (next === undefined) target.running--;
  else next.resolve();
}

async function send(
  target: NotifyTarget,
  notice: ReturnType<typeof toNotice>,
  signal: AbortSignal,
): Promise<void> {
  const { postNotice, runNotifyCommand } = await import("./deliver.ts");
  return "command" in target ? runNotifyCommand(target, notice, signal) : postNotice(target, notice, signal);
}

/** Names a target in messages: the host of a URL, which may be secret, or the program of a command. */
function nameOfTarget(target: NotifyTarget, index: number): string {
  const where = "command" in target ? basename(target.command[0] ?? "") : hostOf(target.url);
  return `approvals.notify ${index + 1} (${escapeInvisible(where)})`;
}

function hostOf(url: string | { env: string }): string {
  return typeof url === "string" ? (URL.parse(url)?.host ?? "?") : `$${url.env}`;
}
