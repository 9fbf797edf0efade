import type { Session } from "@haft/core/kernel";
import { constants } from "node:os";

export class Interrupts {
  readonly #running = new Set<string>();
  readonly #stopped = new Set<string>();
  readonly #session: Session;
  readonly #stop = new AbortController();
  readonly #notify: (text: string) => void;
  readonly #unsubscribe: () => void;

  constructor(session: Session, notify: (text: string) => void) {
    this.#session = session;
    this.#notify = notify;
    this.#unsubscribe = session.subscribe((event) => {
      if (event.type === "tool-start") this.#running.add(event.toolCallId);
      if (event.type === "tool-end") this.#running.delete(event.toolCallId);
    });
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Stops calls first, then the run. */
  interrupt(): void {
    const calls = [...this.#running].filter((id) => !this.#stopped.has(id));
    if (calls.length === 0) return this.end();
    for (const id of calls) {
      this.#stopped.add(id);
      this.#session.abort(id, "the user pressed Ctrl-C.");
    }
    this.#notify("Ctrl-C: the call is stopped. Press it again to stop the answer.");
  }

  end(): void {
    if (!this.#stop.signal.aborted) this.#notify("Stopped.");
    this.#stop.abort(new Error("The user stopped it."));
  }

  dispose(): void {
    this.#unsubscribe();
  }
}

/** Ends the program on SIGTERM or SIGHUP. */
interface Leaving {
  signal: AbortSignal;
  /** Exit code for the signal; absent without one. */
  code(): number | undefined;
  dispose(): void;
}

/** @param leave starts the shutdown, without calls that wait for approval */
export function handleTermination(leave: () => void, onInterrupt: () => void): Leaving {
  const controller = new AbortController();
  let code: number | undefined;
  const end = (name: NodeJS.Signals): void => {
    code ??= 128 + constants.signals[name];
    if (controller.signal.aborted) return;
    leave();
    controller.abort(new Error(`${name} ended it.`));
  };
  const listeners = { SIGINT: onInterrupt, SIGTERM: end, SIGHUP: end } as const;
  for (const [name, listener] of Object.entries(listeners)) process.on(name, listener);
  return {
    signal: controller.signal,
    code: () => code,
    dispose() {
      for (const [name, listener] of Object.entries(listeners)) process.off(name, listener);
    },
  };
}
