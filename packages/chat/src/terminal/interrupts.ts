import type { Session } from "@haft/core/kernel";
import { constants } from "node:os";

export class Interrupts {
  readonly #running = new Set<string>();
  readonly #stopped = new Set<string>();
  readonly #session: Session;
  readonly #stop = new AbortController();
  readonly #tell: (text: string) => void;
  readonly #unsubscribe: () => void;

  constructor(session: Session, tell: (text: string) => void) {
    this.#session = session;
    this.#tell = tell;
    this.#unsubscribe = session.subscribe((event) => {
      if (event.type === "tool-start") this.#running.add(event.toolCallId);
      if (event.type === "tool-end") this.#running.delete(event.toolCallId);
    });
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The call first, then the run. */
  interrupt(): void {
    const calls = [...this.#running].filter((id) => !this.#stopped.has(id));
    if (calls.length === 0) return this.end();
    for (const id of calls) {
      this.#stopped.add(id);
      this.#session.abort(id, "the user pressed Ctrl-C.");
    }
    this.#tell("Ctrl-C: the call is stopped. Once more ends the answer, too.");
  }

  end(): void {
    if (!this.#stop.signal.aborted) this.#tell("Stopped.");
    this.#stop.abort(new Error("The user stopped it."));
  }

  dispose(): void {
    this.#unsubscribe();
  }
}

/** What leaves at once, whatever happens: the end of the terminal, and whoever ends the program. */
interface Leaving {
  signal: AbortSignal;
  /** The exit code of what a signal ended; absent when none did. */
  code(): number | undefined;
  /** Signals do again what they do by default. */
  dispose(): void;
}

/**
 * @param leave begins the end; calls that wait for approval go on waiting
 * @param onInterrupt Ctrl-C, where it does not leave
 */
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
