import { type Processes, type ProcessInfo, type ProcessSpec, withoutUndefined } from "@haft/core";
import { mapProcesses } from "@haft/core/internal";

/** What happens around the commands of a view. */
export interface AroundCommands {
  /** Before each: walls that came off are put back, settings are as they are now. Throws where nothing may start. */
  before(spec: ProcessSpec): Promise<void>;
  /**
   * After each that ended, and not waited for by its answer: what it left is looked at.
   *
   * @param goesOn others still run
   */
  after(goesOn: boolean): Promise<void>;
  /** Before one that leaves the view. Throws where it may not run. @param folder as its specification has it */
  outside(folder: string | undefined): Promise<void>;
  /** A way from the host's 127.0.0.1 to a port of the view. */
  openForward(port: number): Promise<{ port: number; close(): void }>;
  /** What there is to tell since this was last asked. */
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
  around: AroundCommands,
): Processes & { settled(): Promise<void> } {
  /** Ids of those that run on the host itself. */
  const outside = new Set<string>();
  /** Ports of those that run. */
  const forwards = new Map<string, ProcessInfo["forward"]>();
  /** How many run in the view, those too that are still waited for by who starts them. */
  let running = 0;
  let looking: Promise<void> = Promise.resolve();
  const look = (): void => {
    running--;
    looking = lookAgain(looking);
    // Told by the command that waits for it.
    looking.catch(() => {});
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
        await around.outside(spec.cwd);
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
        look();
      };
      let info: ProcessInfo;
      try {
        await around.before(spec);
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
      await around.outside(where.cwd);
      return outer().identify(names, where);
    },
    async info(id) {
      const info = await mapped.info(id);
      return info && marked(info);
    },
    async list() {
      const all = outside.size === 0 ? [inner()] : [inner(), outer()];
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
    notices: (met) => around.notices(met),
    settled: settle,
  };

  async function lookAgain(before: Promise<void>): Promise<void> {
    await before;
    await around.after(running > 0);
  }

  /** The looks that are under way. One that failed fails the next command, once: what was left is not known. */
  async function settle(): Promise<void> {
    const current = looking;
    try {
      await current;
    } finally {
      if (looking === current) looking = Promise.resolve();
    }
  }
}
