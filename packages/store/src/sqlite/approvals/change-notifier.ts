import { attempt } from "@haft/system";
import { type FSWatcher, utimesSync, watch } from "node:fs";
import { makePrivateFile } from "../database/make-private-file.ts";

/** Milliseconds between two looks, for changes that no event told of (network file systems, too many watches). */
const LOOK_MS = 2_000;

/**
 * A file beside the database that is touched when requests or answers changed: the database itself changes with every call of
 * every host. It holds nothing, and without it the looks are slower.
 */
export class ChangeNotifier {
  readonly #path: string;
  readonly #looks = new Set<() => void>();
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

  /** Calls `look` when something may have changed. Does not keep the process alive. Returns the way to stop. */
  listen(look: () => void): () => void {
    this.#looks.add(look);
    this.#timer ??= this.#start();
    return () => {
      this.#looks.delete(look);
      if (this.#looks.size === 0) this.#stop();
    };
  }

  #start(): ReturnType<typeof setInterval> {
    this.#watch();
    const timer = setInterval(() => {
      // Somebody may have removed the file meanwhile, and what is watched then is nobody's.
      if (this.#watcher === undefined) this.#watch();
      this.#tell();
    }, LOOK_MS);
    timer.unref();
    return timer;
  }

  #watch(): void {
    attempt(() => makePrivateFile(this.#path));
    this.#watcher = attempt(() =>
      watch(this.#path, { persistent: false }, (event) => {
        if (event === "rename") this.#unwatch();
        this.#tell();
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

  #tell(): void {
    for (const look of this.#looks) look();
  }
}
