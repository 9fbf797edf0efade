import { HaftError } from "@haft/core";
import { withTimeout } from "@haft/utils";
import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxConnection } from "../backend.ts";
import { dockerError, sandboxError, insufficientMemoryError } from "../errors.ts";
import type { DetachedLifetime } from "../launch/resolve-lifetime.ts";
import { sandboxKey } from "../launch/sandbox-ref.ts";
import { hashSpec, HOST_LABEL, KEY_LABEL, type ListedContainer } from "./container/container-config.ts";
import { isHostGone } from "./container/container-config.ts";
import type { RunnerStart } from "./container/runner-start.ts";
import { keeperCommand, DOCKER_SETUP_FAILED, wrapWithReadyCheck } from "./container/runner-start.ts";
import type { OpenContext, StartedContainer } from "./container/started-container.ts";
import {
  createContainerConnection,
  DOCKER_END_MS,
  RunnerNotServedError,
  toStartError,
  containerSetupError,
  waitForRunner,
} from "./container/started-container.ts";
import type { EngineStream } from "./engine/engine-stream.ts";
import { EngineError } from "./engine/engine.ts";

const STARTING_MS = 20_000;
const POLL_MS = 50;

/** Opens a container that continues without a host. Connections during the setup wait. Replaces a container of another specification. */
export async function openDetached(
  opening: OpenContext,
  lifetime: DetachedLifetime,
  deadline = performance.now() + STARTING_MS,
): Promise<SandboxConnection> {
  const { containers, signal } = opening;
  const existing = await reusable(opening);
  let started: StartedContainer;
  try {
    started = await (existing === undefined
      ? opening.tryRunners((start) => make(opening, lifetime, start))
      : opening.tryRunners((start) => join(opening, existing, start), existing.Labels["haft.runner"]));
  } catch (thrown) {
    signal?.throwIfAborted();
    if (performance.now() > deadline || !(await isAnothers(thrown, opening, existing))) throw thrown;
    await sleep(POLL_MS);
    return openDetached(opening, lifetime, deadline);
  }
  const { id, stream } = started;
  const close = async (ended: Promise<unknown>): Promise<void> => {
    // Longer than the search for the reason.
    await stream.endWithin(DOCKER_END_MS, withTimeout(ended, 3 * DOCKER_END_MS), () => stream.destroy());
  };
  return createContainerConnection(opening, started, close, async () => {
    const running = await containers.isRunning(id).catch(() => true);
    return running ? undefined : "its container has ended";
  });
}

async function isAnothers(
  thrown: unknown,
  { containers }: OpenContext,
  existing: ListedContainer | undefined,
): Promise<boolean> {
  if (existing === undefined) return thrown instanceof EngineError && thrown.status === 409;
  if (HaftError.is(thrown) && thrown.code === "SANDBOX_SETUP_FAILED") return false;
  return !(await containers.isRunning(existing.Id));
}

/** Waits for a starting container, and removes a different one. Throws `SANDBOX_START_FAILED` if that is in use. */
async function reusable(opening: OpenContext): Promise<ListedContainer | undefined> {
  const { containers, spec, image, signal } = opening;
  const deadline = performance.now() + STARTING_MS;
  for (;;) {
    signal?.throwIfAborted();
    const found = (await containers.list()).find(
      ({ Labels }) =>
        Labels["haft.detached"] === "1" &&
        Labels[KEY_LABEL] === sandboxKey(spec) &&
        Labels["haft.scope"] === spec.scope,
    );
    if (found === undefined) return undefined;
    const fits = found.Labels["haft.spec"] === hashSpec(spec, image);
    if (fits && found.State === "running") return found;
    const isStarting =
      found.State === "removing" ||
      (found.State === "created" && !isHostGone(found.Labels[HOST_LABEL] ?? ""));
    if (!isStarting || performance.now() > deadline) {
      if (found.State === "running") await untilUnused(containers, found.Id);
      await containers.remove(found.Id);
    } else {
      await sleep(POLL_MS);
    }
  }
}

async function untilUnused(containers: OpenContext["containers"], id: string): Promise<void> {
  const deadline = performance.now() + DOCKER_END_MS;
  while (await containers.isInUse(id)) {
    if (performance.now() > deadline) throw inUse(id);
    await sleep(POLL_MS);
  }
}

function inUse(id: string): HaftError {
  const message =
    "A detached sandbox with other settings, or with another image of that name, is in use by another host.";
  const fix = `Use its settings, wait until that host has closed its session, or end the sandbox: \`docker rm -f ${id.slice(0, 12)}\`.`;
  return sandboxError("SANDBOX_START_FAILED", message, {
    fix,
    details: { backend: "docker", id, reason: "in-use" },
  });
}

async function make(
  opening: OpenContext,
  lifetime: DetachedLifetime,
  start: RunnerStart,
): Promise<StartedContainer> {
  const { containers, spec, config, createdAt, signal } = opening;
  const command = keeperCommand(start, lifetime, spec.setup);
  const id = await containers.create(`haft-${sandboxKey(opening.spec)}`, config(start, command));
  try {
    signal?.throwIfAborted();
    return await startRunner(opening, { id, createdAt }, start, () =>
      containers.start(id, spec.limits.memoryMb),
    );
  } catch (thrown) {
    await containers.remove(id).catch(() => false);
    throw toStartError(thrown);
  }
}

async function join(
  opening: OpenContext,
  { Id, Labels }: ListedContainer,
  start: RunnerStart,
): Promise<StartedContainer> {
  const createdAt = Number(Labels["haft.created"]);
  try {
    return await startRunner(opening, { id: Id, createdAt }, start, async () => {});
  } catch (thrown) {
    throw toStartError(thrown);
  }
}

async function startRunner(
  opening: OpenContext,
  { id, createdAt }: Pick<StartedContainer, "id" | "createdAt">,
  start: RunnerStart,
  begin: () => Promise<void>,
): Promise<StartedContainer> {
  const { containers, spec, signal } = opening;
  const setup = spec.setup === undefined ? undefined : await watchSetup(opening, id);
  let stream: EngineStream | undefined;
  let hasBegun = false;
  try {
    await begin();
    hasBegun = true;
    const running = await containers.exec(id, wrapWithReadyCheck(spec.setup, start.command), signal);
    stream = running.stream;
    const exit = (): Promise<number | undefined> =>
      containers.getExecExitCode(running.exec).catch(() => undefined);
    const started = { id, createdAt, stream, start, exit };
    await waitForRunner(started, opening);
    return started;
  } catch (thrown) {
    stream?.destroy();
    signal?.throwIfAborted();
    const stderr = await setup?.failure();
    if (stderr !== undefined) throw containerSetupError(stderr);
    // The container is removed, with varying errors, if the main process cannot run.
    if (hasBegun && thrown instanceof EngineError && (await containers.endsWithin(DOCKER_END_MS, id))) {
      if (await containers.ranOutOfMemory(id, createdAt)) throw insufficientMemoryError(dockerError);
      throw new RunnerNotServedError(`its container ended immediately (${thrown.message})`);
    }
    throw thrown;
  } finally {
    setup?.stop();
  }
}

async function watchSetup({ containers, signal }: OpenContext, id: string) {
  const stopped = new AbortController();
  const ended = containers.wait(id, stopped.signal);
  const stream = await containers.attach(id, signal);
  return {
    failure: async (): Promise<string | undefined> => {
      const code = await withTimeout(ended, DOCKER_END_MS);
      return code === DOCKER_SETUP_FAILED ? stream.stderr : undefined;
    },
    stop: (): void => {
      stopped.abort();
      stream.destroy();
    },
  };
}
