import type { Processes, ProcessInfo, ProcessSpec } from "@haft/core";
import { mapProcesses } from "@haft/core/internal";

/** What happens around the commands of a view. */
export interface AroundCommands {
  /** Before each: walls that came off are put back, settings are as they are now. Throws where nothing may start. */
  before(spec: ProcessSpec): Promise<void>;
  /** After each that ended, and not waited for by its answer: what is to be told of what it left. */
  after(): Promise<readonly string[]>;
  /** Before one that leaves the view. Throws where it may not run there. */
  outside(spec: ProcessSpec): Promise<void>;
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
  const found: string[] = [];
  let looking: Promise<void> = Promise.resolve();
  const look = () => {
    looking = lookAgain(looking);
    // Told by the command that waits for it.
    looking.catch(() => {});
  };
  const lookAfter = (info: ProcessInfo) => {
    if (info.state !== "running") look();
    else
      void inner()
        .then((processes) => processes.wait(info.id))
        .then(look, look);
  };
  const marked = (info: ProcessInfo): ProcessInfo =>
    outside.has(info.id) ? { ...info, outside: true } : info;
  const of = (id: string | undefined) => (id !== undefined && outside.has(id) ? outer() : inner());
  const mapped = mapProcesses(of);
  return {
    ...mapped,
    async start(callerId, spec, options) {
      await settle();
      if (spec.outside === true) {
        await around.outside(spec);
        const info = await outer().start(callerId, spec, options);
        outside.add(info.id);
        return marked(info);
      }
      await around.before(spec);
      const info = await (await inner()).start(callerId, spec, options);
      lookAfter(info);
      return info;
    },
    identify: async (names, where) => {
      const processes = where.outside === true ? outer() : await inner();
      return processes.identify(names, where);
    },
    info: async (id) => {
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
    notices: () => found.splice(0),
    settled: settle,
  };

  async function lookAgain(before: Promise<void>): Promise<void> {
    await before;
    found.push(...(await around.after()));
  }

  /** The looks that are under way. One that failed fails the next command, once: what it left is not known. */
  async function settle(): Promise<void> {
    const current = looking;
    try {
      await current;
    } finally {
      if (looking === current) looking = Promise.resolve();
    }
  }
}
