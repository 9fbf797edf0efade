import type { HaftError } from "@haft/core";
import { withTimeout } from "@haft/utils";
import { sendProgram } from "@haft/workspace/internal/wire";
import type { SandboxConnection, SandboxEnd, SandboxMount, SandboxSpec } from "../../backend.ts";
import { SETUP_MS } from "../../defaults.ts";
import { dockerError, noAnswerError, setupFailedError, insufficientMemoryError } from "../../errors.ts";
import { sandboxRef } from "../../launch/sandbox-ref.ts";
import { waitFor } from "../../launch/wait-for.ts";
import type { EngineStream } from "../engine/engine-stream.ts";
import { EngineError } from "../engine/engine.ts";
import { CONTAINER_WORKSPACE_PATH } from "./check-mounts.ts";
import { hashSpec } from "./container-config.ts";
import type { Containers } from "./containers.ts";
import { type RunnerStart, DOCKER_SETUP_FAILED } from "./runner-start.ts";

export interface OpenContext {
  containers: Containers;
  spec: SandboxSpec;
  mounts: readonly SandboxMount[];
  image: string;
  createdAt: number;
  config: (start: RunnerStart, command: readonly string[]) => Record<string, unknown>;
  /** Tries kinds of runners while they fail with {@link RunnerNotServedError}. `only`: the kind of an existing container. */
  tryRunners: <T>(attempt: (start: RunnerStart) => Promise<T>, only?: string) => Promise<T>;
  startMs: number;
  signal: AbortSignal | undefined;
}

export interface StartedContainer {
  id: string;
  createdAt: number;
  stream: EngineStream;
  start: RunnerStart;
  exit: () => Promise<number | undefined>;
}

export class RunnerNotServedError extends Error {}

const MISSING = /executable file not found|no such file or directory|exec format error|is not running/i;
/** Also the code of other processes when the main process ends. */
const KILLED = 137;
export const DOCKER_END_MS = 3_000;

export function toStartError(thrown: unknown): unknown {
  return thrown instanceof EngineError && MISSING.test(thrown.message)
    ? new RunnerNotServedError(thrown.message)
    : thrown;
}

export async function waitForRunner(
  { id, stream, start, exit }: StartedContainer,
  { containers, createdAt, startMs, spec, signal }: OpenContext,
): Promise<void> {
  if (start.source !== undefined) {
    if (start.kind === "program") sendProgram(stream, start.source);
    else stream.write(start.source);
  }
  const limit = startMs + (spec.setup === undefined ? 0 : SETUP_MS);
  const { answer, tooLate } = await waitFor(stream.answered, limit, signal, () => stream.destroy());
  signal?.throwIfAborted();
  if (answer) return;
  stream.destroy();
  if (tooLate) throw noAnswerError(dockerError, limit);
  const code = await withTimeout(exit(), DOCKER_END_MS);
  if (code === DOCKER_SETUP_FAILED) throw containerSetupError(stream.stderr);
  // Without a code, the container was removed before the query.
  const wasKilled = code === KILLED || code === undefined;
  if (wasKilled && (await containers.ranOutOfMemory(id, createdAt)))
    throw insufficientMemoryError(dockerError);
  throw new RunnerNotServedError(
    lastLine(stream.stderr) ?? `it ended immediately with exit code ${code ?? "unknown"}`,
  );
}

/** `elsewhere` returns a reason other than the runner's end. */
export function createContainerConnection(
  { spec, mounts, image, containers }: OpenContext,
  { id, createdAt, stream, start, exit }: StartedContainer,
  close: (ended: Promise<SandboxEnd>) => Promise<void>,
  elsewhere: () => Promise<string | undefined> = async () => undefined,
): SandboxConnection {
  const { workspace, network, limits } = spec;
  let closing: Promise<void> | undefined;
  const end = async (): Promise<SandboxEnd> => {
    await stream.ended;
    if (closing !== undefined) return { why: "it was closed" };
    const exitCode = await withTimeout(exit(), DOCKER_END_MS, { unref: true });
    if (closing !== undefined) return { why: "it was closed" };
    const reason = await elsewhere();
    if (reason !== undefined) return { why: reason };
    if (exitCode === undefined) return { why: "the connection to its container ended" };
    if (exitCode === KILLED && (await containers.ranOutOfMemory(id, createdAt))) {
      return { why: `it used more than ${limits.memoryMb} MiB of memory`, oom: true, exitCode };
    }
    const lastError = lastLine(stream.stderr);
    const why = `its runner ended with exit code ${exitCode}`;
    return { why: lastError === undefined ? why : `${why}: ${lastError}`, exitCode };
  };
  const ended = end();
  stream.explainEnd(async () => {
    const { why } = await ended;
    return closing === undefined ? why : undefined;
  });
  const specHash = hashSpec(spec, image);
  const detached = spec.lifetime !== "tethered";
  const ref = sandboxRef("docker", id, spec, { specHash, createdAt, detached });
  const workspaceMount = { name: "", path: CONTAINER_WORKSPACE_PATH, access: "rw" } as const;
  const first = mounts.find(({ name }) => name === "") ?? workspaceMount;
  const all = [first, ...mounts.filter((one) => one !== first)];
  return {
    stream,
    ref,
    mounts: all.map(({ name, path, access }) => ({ name, path, access })),
    runner: start.kind,
    facts: { mount: workspace, network: network === "full" ? "full" : "none" },
    ended,
    usage: () => containers.usage(id),
    close: () => (closing ??= close(ended)),
  };
}

export function containerSetupError(output: string): HaftError {
  return setupFailedError(dockerError, lastLine(output) ?? "no output", output);
}

function lastLine(text: string): string | undefined {
  return text.trim().split("\n").at(-1) || undefined;
}
