import { attempt } from "@haft/system";
import { type FSWatcher, utimesSync, watch } from "node:fs";
import { makePrivateFile } from "../database/make-private-file.ts";

/** Some changes cause no event (network file systems, too many watches). */
const POLL_MS = 2_000;

/**
 * Signals changes of requests and answers by touching an empty file, since the database changes with every call. Polling replaces a missing
 * file.
 */
export class ChangeNotifier {
  readonly #path: string;
  readonly #listeners = new Set<() => void>();
  #watcher: FSWatcher | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  notify(): void {
    const now = new Date();
    attempt(() => {
      makePrivateFile(this.#path);
      utimesSync(this.#path, now, now);
    });
  }

  /** Calls `look` after possible changes, without keeping the process alive. Returns a function that stops. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  #start(): ReturnType<typeof setInterval> {
    this.#watch();
    const timer = setInterval(() => {
      if (this.#watcher === undefined) this.#watch();
      this.#notifyAll();
    }, POLL_MS);
    timer.unref();
    return timer;
  }

  #watch(): void {
    attempt(() => makePrivateFile(this.#path));
    this.#watcher = attempt(() =>
      watch(this.#path, { persistent: false }, (event) => {
        if (event === "rename") this.#unwatch();
        this.#notifyAll();
      }),
    );
    this.#watcher?.on("error", () => this.#unwatch());
  }

  #unwatch(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#unwatch();
  }

  #notifyAll(): void {
    for (const listener of this.#listeners) listener();
  }
}
