import type { Processes } from "../contract/process-port.ts";

/**
 * Processes whose operations are those of others.
 *
 * @param processes who performs an operation, on the process of this id where it is about one; asked each time, and may
 *   refuse by throwing
 */
export function mapProcesses(
  processes: (id: string | undefined) => Processes | Promise<Processes>,
): Processes {
  const on = async (id?: string) => processes(id);
  return {
    start: async (callerId, spec, options) => (await on()).start(callerId, spec, options),
    identify: async (names, where) => (await on()).identify(names, where),
    info: async (id) => (await on(id)).info(id),
    list: async () => (await on()).list(),
    read: async (id, from, options) => (await on(id)).read(id, from, options),
    write: async (id, bytes, options) => (await on(id)).write(id, bytes, options),
    closeStdin: async (id, options) => (await on(id)).closeStdin(id, options),
    signal: async (id, signal, options) => (await on(id)).signal(id, signal, options),
    kill: async (id, options) => (await on(id)).kill(id, options),
    resize: async (id, size) => (await on(id)).resize(id, size),
    wait: async (id, options) => (await on(id)).wait(id, options),
    release: async (id) => (await on(id)).release(id),
  };
}
