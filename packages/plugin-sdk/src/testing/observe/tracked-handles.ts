import { AsyncLocalStorage, createHook } from "node:async_hooks";

/** These keep a process alive. Values: words for people. */
const KINDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  Timeout: ["a timer", "timers"],
  FSEVENTWRAP: ["a watch of files", "watches of files"],
  STATWATCHER: ["a watch of files", "watches of files"],
  PROCESSWRAP: ["a child process", "child processes"],
  TCPSERVERWRAP: ["a server", "servers"],
  TCPWRAP: ["a connection", "connections"],
  PIPEWRAP: ["a pipe", "pipes"],
  UDPWRAP: ["a socket", "sockets"],
  MESSAGEPORT: ["a message port", "message ports"],
  WORKER: ["a thread", "threads"],
  SIGNALWRAP: ["a listener for signals", "listeners for signals"],
};

interface Held {
  kind: string;
  resource: WeakRef<object>;
}

export class TrackedHandles {
  readonly #within = new AsyncLocalStorage<boolean>();
  readonly #held = new Map<number, Held>();
  readonly #hook = createHook({
    init: (id, type, _trigger, resource) => {
      if (KINDS[type] !== undefined && this.#within.getStore() === true)
        this.#held.set(id, { kind: type, resource: new WeakRef(resource) });
    },
    destroy: (id) => void this.#held.delete(id),
  });

  /** Counts handles of the code, and of its later callbacks. */
  run<T>(code: () => T): T {
    this.#hook.enable();
    return this.#within.run(true, code);
  }

  /** Code of {@link run} makes this call. */
  get isWithin(): boolean {
    return this.#within.getStore() === true;
  }

  /** Formats `a timer`, `2 connections`. */
  listOpen(): string[] {
    const counts = new Map<string, number>();
    for (const { kind, resource } of this.#held.values()) {
      const handle: { hasRef?: () => boolean } | undefined = resource.deref();
      if (handle === undefined || handle.hasRef?.() === false) continue;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    return [...counts].map(([kind, count]) =>
      count === 1 ? KINDS[kind]![0] : `${count} ${KINDS[kind]![1]}`,
    );
  }

  /** Ends remaining timers and the observation. */
  end(): void {
    this.#hook.disable();
    for (const { kind, resource } of this.#held.values())
      if (kind === "Timeout") clearTimeout(resource.deref() as NodeJS.Timeout | undefined);
    this.#held.clear();
  }
}
