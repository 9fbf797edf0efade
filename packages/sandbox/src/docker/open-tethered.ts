import { withTimeout } from "@haft/core/internal";
import { randomBytes } from "node:crypto";
import type { SandboxConnection } from "../backend.ts";
import { afterSetup } from "./container/runner-start.ts";
import type { Opening, Started } from "./container/started.ts";
import { connectionOf, END_MS, refusedStart, waitForRunner } from "./container/started.ts";

/** A container whose main process is the runner: it ends with its input, and is removed then. */
export async function openTethered(opening: Opening): Promise<SandboxConnection> {
  const { containers, spec, config, createdAt, signal } = opening;
  const started = await opening.inTurn(async (start): Promise<Started> => {
    const name = `haft-${randomBytes(8).toString("hex")}`;
    try {
      const id = await containers.create(name, config(start, afterSetup(start, spec.setup, start.command)));
      signal?.throwIfAborted();
      const exit = containers.wait(id);
      const stream = await containers.attach(id, signal);
      const found: Started = { id, createdAt, stream, start, exit: () => exit };
      try {
        await containers.start(id, spec.limits.memoryMb).catch((thrown: unknown) => {
          throw refusedStart(thrown);
        });
        await waitForRunner(found, opening);
      } catch (thrown) {
        stream.destroy();
        throw thrown;
      }
      return found;
    } catch (thrown) {
      await containers.remove(name).catch(() => false);
      throw thrown;
    }
  });
  const { id, stream } = started;
  return connectionOf(opening, started, async (ended) => {
    // A runner that was given up hears nothing any more, and nothing says that it has ended.
    const patienceMs = stream.destroyed ? 0 : END_MS;
    stream.end();
    stream.resume();
    const exitCode = await withTimeout(started.exit(), patienceMs);
    try {
      // The end of a stream says nothing about the container, which commands and others can halt.
      await containers.remove(id);
    } catch (thrown) {
      // With its first process everything in it has ended; the Engine removes the rest when it can.
      if (exitCode === undefined) throw thrown;
    } finally {
      stream.destroy();
      await withTimeout(ended, END_MS);
    }
  });
}
