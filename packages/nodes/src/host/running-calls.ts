import type { HaftError } from "@haft/core";
import type { Records } from "../contract/records.ts";
import { nodesError } from "../errors.ts";
import type { NodePairing } from "./pairing.ts";

/** Tracks a call, which its caller cancels; `abandon` ends it at once if its node is revoked. */
export class RunningCall {
  readonly abandoned: Promise<never>;
  readonly abandon: (reason: HaftError) => void;
  readonly done: () => void;
  /** Ends a workspace, and resolves after the node's confirmation or a timeout. */
  onAbandoned: ((reason: HaftError) => Promise<void>) | undefined;
  ended: Promise<void> = Promise.resolve();
  readonly #controller = new AbortController();

  constructor(outer: AbortSignal | undefined, onDone: () => void) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.abandoned = promise;
    const abort = () => this.#controller.abort(outer?.reason);
    if (outer?.aborted === true) abort();
    outer?.addEventListener("abort", abort, { once: true });
    this.abandon = (reason) => {
      reject(reason);
      if (this.onAbandoned !== undefined) this.ended = this.onAbandoned(reason);
      this.#controller.abort(reason);
    };
    this.done = () => {
      outer?.removeEventListener("abort", abort);
      onDone();
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
}

/** Interval of checks for other processes' revocations. */
const CHECK_MS = 1_000;

export class RunningCalls {
  readonly #pairings: Records<NodePairing>;
  readonly #onRevoked: (nodeId: string, reason: HaftError) => void;
  /** Commands, or workspaces as `workspace.NAME`, by node. */
  readonly #running = new Map<string, Map<RunningCall, string>>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(pairings: Records<NodePairing>, onRevoked: (nodeId: string, reason: HaftError) => void) {
    this.#pairings = pairings;
    this.#onRevoked = onRevoked;
  }

  ids(): string[] {
    return [...this.#running.keys()];
  }

  begin(nodeId: string, offer: string, outer: AbortSignal | undefined): RunningCall {
    const running = this.#running.get(nodeId) ?? new Map<RunningCall, string>();
    const call = new RunningCall(outer, () => {
      running.delete(call);
      if (running.size === 0 && this.#running.get(nodeId) === running) this.#running.delete(nodeId);
      if (this.#running.size === 0) this.#stop();
    });
    this.#running.set(nodeId, running.set(call, offer));
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref();
    return call;
  }

  abandon(nodeId: string, reason: HaftError): void {
    for (const call of this.#running.get(nodeId)?.keys() ?? []) call.abandon(reason);
  }

  async ended(): Promise<void> {
    await Promise.all(
      [...this.#running.values()].flatMap((all) => Array.from(all.keys(), ({ ended }) => ended)),
    );
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    for (const [nodeId, running] of this.#running) {
      let pairing: NodePairing | undefined;
      try {
        pairing = this.#pairings.read(nodeId);
      } catch {
        // The next check retries; no new call starts until then.
        continue;
      }
      if (pairing?.revokedAt !== undefined) this.#onRevoked(nodeId, createRevokedError(pairing.name));
      else
        for (const [call, offer] of running)
          if (pairing?.approved?.commands.includes(offer) !== true)
            call.abandon(
              nodesError("NODE_NOT_APPROVED", `${offer} of the node ${nodeId} is no longer approved.`, {
                receipt: "unknown",
              }),
            );
    }
  }
}

export function createRevokedError(name: string): HaftError {
  return nodesError("NODE_REVOKED", `The node ${name} was revoked.`, { receipt: "unknown" });
}
