import type { Processes, ProcessInfo, ProcessSpec } from "@haft/core";
import { mapProcesses } from "@haft/core/internal";
import { withoutUndefined } from "@haft/utils";

/** The look after a command is not to delay its answer: it waits until that is told, or so long where nobody asks for it. */
const ANSWER_MS = 50;
/** While something is left running; and as many times what the last look took, so that they take a small part of the time. */
const LOOK_AGAIN_MS = 500;
const RESTS = 10;

export interface CommandHooks {
  /** Before one with hosts that a person agreed to: they are in reach. What is looked at before each is the view's own `ready`. */
  beforeCommand(spec: ProcessSpec): void | Promise<void>;
  /**
   * After each that ended, behind its answer and before the next one: what it left is looked at. Again and again while something
   * that no command is waited for is left running, until it has ended.
   *
   * @param goesOn others still run
   * @returns whether anything still runs
   */
  afterCommand(goesOn: boolean): Promise<boolean>;
  hasStarted(): boolean;
  /** Before one that leaves the view. Throws where it may not run. @param folder as its specification has it */
  beforeUncontained(folder: string | undefined): Promise<void>;
  /** A way from the host's 127.0.0.1 to a port of the view. */
  openForward(port: number): Promise<{ port: number; close(): void }>;
  notices: NonNullable<Processes["notices"]>;
}

/**
 * The processes of a session whose commands are contained: in the view, but for those that somebody let out of it. What
 * the looks after a command find is told with the next one.
 *
 * @param inner opened by the first command
 * @param outer made when the first command leaves
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
  const look = (): void => {
    clearTimeout(due);
    due = undefined;
    looking = lookAfter(looking);
    // Told by the command that waits for it.
    looking.catch(() => {});
  };
  const lookIn = (ms: number): NodeJS.Timeout => {
    clearTimeout(due);
    return (due = setTimeout(look, ms));
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
      // From now on, so that the look after another one that ends meanwhile knows.
      running++;
      let forward: Awaited<ReturnType<typeof around.openForward>> | undefined;
      const end = (id?: string): void => {
        forward?.close();
        if (id !== undefined) forwards.delete(id);
        running--;
        lookIn(ANSWER_MS);
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
      // To look opens no view.
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
      const told = around.notices(met);
      if (met !== undefined && due !== undefined) lookIn(0);
      return told;
    },
    settled: settle,
  };

  async function lookAfter(others: Promise<void>): Promise<void> {
    await others;
    const began = performance.now();
    const isLeft = await around.afterCommand(running > 0);
    if (isLeft && running === 0 && due === undefined)
      lookIn(LOOK_AGAIN_MS + RESTS * (performance.now() - began)).unref();
  }

  /** The look that is due, and those under way. One that failed fails the next command, once: what was left is not known. */
  async function settle(): Promise<void> {
    if (due !== undefined) look();
    const current = looking;
    try {
      await current;
    } finally {
      if (looking === current) looking = Promise.resolve();
    }
  }
}
