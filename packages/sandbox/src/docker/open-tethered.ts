import { randomBytes } from "node:crypto";
import type { SandboxConnection } from "../backend.ts";
import { afterSetup } from "./runners.ts";
import type { Opening, Started } from "./started.ts";
import { connectionOf, END_MS, refusedStart, speaks } from "./started.ts";

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
        await containers.start(id).catch((thrown: unknown) => {
          throw refusedStart(thrown);
        });
        await speaks(found, opening);
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
    stream.end();
    stream.resume();
    let gone: Promise<unknown> | undefined;
    const force = setTimeout(() => {
      // An Engine that hangs does not even do that.
      gone = containers.remove(id).catch(() => {});
      void gone.then(() => stream.destroy());
    }, END_MS);
    await ended;
    clearTimeout(force);
    await (gone ?? containers.gone(id).catch(() => {}));
  });
}
