import { messageOf } from "@haft/core";
import { AsyncLocalStorage, executionAsyncResource } from "node:async_hooks";
import { hostError } from "../errors.ts";

/** Whose code runs. */
interface Inside {
  /** As it is named. */
  use: string;
  /** Told when it would have ended the process, by itself or by a promise that nobody waited for. */
  onExit: (thrown: Error) => void;
  /** Whether somebody waits for what it does. */
  isAwaited: boolean;
}

const inside = new AsyncLocalStorage<Inside>();
let isGuarded = false;

/**
 * Runs a plugin's code. What it does later, in timers of its own too, is known to be its: it does not end the process with all
 * that others have in it.
 */
export function insidePlugin<T>(
  { use, onExit }: Pick<Inside, "use" | "onExit">,
  work: () => T | Promise<T>,
): T | Promise<T> {
  guardProcess();
  const here: Inside = { use, onExit, isAwaited: true };
  const done = () => {
    here.isAwaited = false;
  };
  return inside.run(here, () => {
    let answer: T | Promise<T>;
    try {
      answer = work();
    } catch (thrown) {
      done();
      throw thrown;
    }
    if (!(answer instanceof Promise)) {
      done();
      return answer;
    }
    return answer.finally(done);
  });
}

/** Once for the process, when the first plugin runs. */
function guardProcess(): void {
  if (isGuarded) return;
  isGuarded = true;
  guardRejections();
  // Called with the process it belongs to.
  // oxlint-disable-next-line typescript/unbound-method
  const { exit } = process;
  process.exit = (...code) => {
    const here = inside.getStore();
    // Without a code it is another call than with one that is undefined.
    if (here === undefined) return exit.apply(process, code);
    const thrown = hostError("PLUGIN_EXITED", `${here.use} called process.exit, which was not done.`);
    here.onExit(thrown);
    // Where nobody would catch it, it goes on, which ends less than an exception does.
    if (here.isAwaited && !isCallback()) throw thrown;
    return undefined as never;
  };
}

/** Where they end nothing, since who started the process said so, nobody has to listen. */
function guardRejections(): void {
  const options = [...process.execArgv, process.env["NODE_OPTIONS"]].join(" ");
  if (/--unhandled-rejections[= ](?:none|warn)\b/.test(options)) return;
  process.on("unhandledRejection", (thrown) => {
    const here = inside.getStore();
    if (here !== undefined) {
      const message = `A promise of ${here.use} failed, and nobody waited for it: ${messageOf(thrown)}`;
      here.onExit(hostError("PLUGIN_UNHANDLED", message.replace(/\.?$/, ".")));
    } else if (process.listenerCount("unhandledRejection") === 1) {
      // Nobody else listens, so it ends the process as it would have.
      throw thrown;
    }
  });
}

/** Whether a timer called, and no promise. */
function isCallback(): boolean {
  return /^(?:Timeout|Immediate)$/.test(executionAsyncResource()?.constructor?.name ?? "");
}
