import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxConnection } from "../backend.ts";
import type { ListedContainer } from "./container-config.ts";
import { hashOfSpec } from "./container-config.ts";
import { EngineError } from "./engine.ts";
import { keeperCommand, runnerCommand } from "./runners.ts";
import type { Opening, Started } from "./started.ts";
import { connectionOf, END_MS, refusedStart, speaks } from "./started.ts";

/** Time another host has between creating a container and starting it. */
const STARTING_MS = 20_000;

/**
 * A container that lives on without a host. Its main process only keeps it; a runner is started in it for every
 * connection. One that was made from another specification is replaced.
 */
export async function openDetached(
  opening: Opening,
  lifetime: { idleMs: number; maxAgeMs: number },
  tries = 3,
): Promise<SandboxConnection> {
  const { containers } = opening;
  const existing = await reusable(opening);
  const started = await opening
    .inTurn(async (start): Promise<Started> => {
      if (existing !== undefined) {
        const createdAt = Number(existing.Labels["haft.created"]);
        return startRunner(opening, { id: existing.Id, createdAt }, runnerCommand(start, undefined));
      }
      const { spec, config, createdAt, signal } = opening;
      const id = await containers.create(nameOf(opening), config(start, keeperCommand(start, lifetime)));
      try {
        signal?.throwIfAborted();
        await containers.start(id);
        return await startRunner(opening, { id, createdAt }, runnerCommand(start, spec.setup));
      } catch (thrown) {
        await containers.remove(id).catch(() => false);
        throw refusedStart(thrown);
      }
    })
    .catch((thrown: unknown) => {
      // Another host was faster; it makes the very same.
      if (thrown instanceof EngineError && thrown.status === 409 && tries > 1) return undefined;
      throw thrown;
    });
  if (started === undefined) {
    opening.signal?.throwIfAborted();
    return openDetached(opening, lifetime, tries - 1);
  }
  const { id, stream } = started;
  const close = async (ended: Promise<unknown>): Promise<void> => {
    stream.end();
    stream.resume();
    const force = setTimeout(() => stream.destroy(), END_MS);
    await ended;
    clearTimeout(force);
  };
  return connectionOf(opening, started, close, async () => {
    const running = await containers.isRunning(id).catch(() => true);
    return running ? undefined : "its container has ended";
  });
}

/** Waits for one that is being started. Removes one that does not fit. */
async function reusable(opening: Opening): Promise<ListedContainer | undefined> {
  const { containers, spec, image, signal } = opening;
  const deadline = performance.now() + STARTING_MS;
  for (;;) {
    signal?.throwIfAborted();
    const found = (await containers.list()).find(
      ({ Labels }) =>
        Labels["haft.detached"] === "1" &&
        Labels["haft.key"] === spec.key &&
        Labels["haft.scope"] === spec.scope,
    );
    if (found === undefined) return undefined;
    const fits = found.Labels["haft.spec"] === hashOfSpec(spec, image);
    if (fits && found.State === "running") return found;
    const isStarting = found.State === "created" || found.State === "removing";
    if (!isStarting || performance.now() > deadline) {
      await containers.remove(found.Id);
    } else {
      await sleep(50);
    }
  }
}

async function startRunner(
  opening: Opening,
  { id, createdAt }: Pick<Started, "id" | "createdAt">,
  command: readonly string[],
): Promise<Started> {
  const { containers, signal } = opening;
  const { exec, stream } = await containers.exec(id, command, signal);
  const exit = (): Promise<number | undefined> => containers.exitCodeOfExec(exec).catch(() => undefined);
  const started: Started = { id, createdAt, stream, exit };
  try {
    await speaks(started, opening);
    return started;
  } catch (thrown) {
    stream.destroy();
    throw thrown;
  }
}

/** The Engine allows a name once, so that two hosts cannot make the same. */
function nameOf({ spec: { scope, key } }: Opening): string {
  return `haft-${createHash("sha256").update(`${scope}\0${key}`).digest("hex").slice(0, 24)}`;
}
