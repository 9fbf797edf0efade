import type { Processes, ProcessInfo, ProcessSpec } from "@haft/core";
import { mapProcesses } from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";

/** Milliseconds from a command's start to its check, unless its result comes earlier. */
const ANSWER_MS = 50;
/** Minimum milliseconds between checks while a process is left running; a slow check lengthens the pause. */
const MIN_CHECK_PAUSE_MS = 500;
const RESTS = 10;

export interface CommandHooks {
  /** Runs before a command with approved hosts, to make them reachable. */
  beforeCommand(spec: ProcessSpec): void | Promise<void>;
  /**
   * Checks for artifacts after each command, behind its result and before the next command. It repeats while
   * a background process is running.
   *
   * @param goesOn others still run
   * @returns whether any process still runs
   */
  afterCommand(goesOn: boolean): Promise<boolean>;
  hasStarted(): boolean;
  /** Throws if a command may not leave the view. */
  beforeUncontained(folder: string | undefined): Promise<void>;
  openForward(port: number): Promise<{ port: number; close(): void }>;
  notices: NonNullable<Processes["notices"]>;
}

/**
 * Returns the processes of a contained session: in the view, except approved commands outside. The next
 * command reports the results of the checks.
 *
 * @param inner opened by the first command
 * @param outer created when the first command leaves
 */
export function containedProcesses(
  inner: () => Promise<Processes>,
  outer: () => Processes,
  around: CommandHooks,
): Processes & { settled(): Promise<void> } {
  const outside = new Set<string>();
  const forwards = new Map<string, ProcessInfo["forward"]>();
  let running = 0;
  let due: NodeJS.Timeout | undefined;
  let looking: Promise<void> = Promise.resolve();
  const check = (): void => {
    clearTimeout(due);
    due = undefined;
    looking = checkAfter(looking);
    looking.catch(() => {});
  };
  const checkIn = (ms: number): NodeJS.Timeout => {
    clearTimeout(due);
    return (due = setTimeout(check, ms));
  };
  const marked = (info: ProcessInfo): ProcessInfo =>
    outside.has(info.id)
      ? { ...info, outside: true }
      : withoutUndefined({ ...info, forward: forwards.get(info.id) });
  const of = (id: string | undefined) => (id !== undefined && outside.has(id) ? outer() : inner());
  const mapped = mapProcesses(of);
  return {
    ...mapped,
    async start(callerId, spec, options) {
      await settle();
      if (spec.outside === true) {
        await around.beforeUncontained(spec.cwd);
        const info = await outer().start(callerId, spec, options);
        outside.add(info.id);
        return marked(info);
      }
      // Counted early for the check after another command.
      running++;
      let forward: Awaited<ReturnType<typeof around.openForward>> | undefined;
      const end = (id?: string): void => {
        forward?.close();
        if (id !== undefined) forwards.delete(id);
        running--;
        checkIn(ANSWER_MS);
      };
      let info: ProcessInfo;
      try {
        if (spec.network !== undefined) await around.beforeCommand(spec);
        const processes = await inner();
        if (spec.forward !== undefined) forward = await around.openForward(spec.forward);
        info = await processes.start(callerId, spec, options);
      } catch (thrown) {
        end();
        throw thrown;
      }
      const { id, state } = info;
      if (state !== "running") end();
      else {
        if (forward !== undefined) forwards.set(id, { port: spec.forward!, hostPort: forward.port });
        const ended = (): void => end(id);
        void mapped.wait(id).then(ended, ended);
      }
      return marked(info);
    },
    async identify(names, where) {
      if (where.outside !== true) return (await inner()).identify(names, where);
      await around.beforeUncontained(where.cwd);
      return outer().identify(names, where);
    },
    async info(id) {
      const info = await mapped.info(id);
      return info && marked(info);
    },
    async list() {
      const all = [...(around.hasStarted() ? [inner()] : []), ...(outside.size === 0 ? [] : [outer()])];
      const lists = await Promise.all(all.map(async (one) => (await one).list()));
      return lists
        .flat()
        .map(marked)
        .toSorted((one, other) => one.startedAt - other.startedAt);
    },
    wait: async (id, options) => marked(await mapped.wait(id, options)),
    kill: async (id, options) => marked(await mapped.kill(id, options)),
    async release(id) {
      await mapped.release(id);
      outside.delete(id);
    },
    notices(met) {
      const notices = around.notices(met);
      if (met !== undefined && due !== undefined) checkIn(0);
      return notices;
    },
    settled: settle,
  };

  async function checkAfter(others: Promise<void>): Promise<void> {
    await others;
    const began = performance.now();
    const isLeft = await around.afterCommand(running > 0);
    if (isLeft && running === 0 && due === undefined)
      checkIn(MIN_CHECK_PAUSE_MS + RESTS * (performance.now() - began)).unref();
  }

  /** Waits for pending checks. A failed check fails the next command once. */
  async function settle(): Promise<void> {
    if (due !== undefined) check();
    const current = looking;
    try {
      await current;
    } finally {
      if (looking === current) looking = Promise.resolve();
    }
  }
}
