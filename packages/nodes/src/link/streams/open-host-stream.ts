import type { HaftError, Mount } from "@haft/core";
import { randomUUID } from "node:crypto";
import type { OpenedWorkspace, WorkspaceOpening } from "../../contract/workspace.ts";
import { nodesError } from "../../errors.ts";
import { readObject } from "../read-object.ts";
import { HostStream, type OpenedStream } from "./host-stream.ts";
import type { StreamLink, StreamLinkOptions, StreamReply } from "./stream-link.ts";

const MAX_MISSES = 3;

interface OpenHostStream extends StreamLinkOptions {
  readonly opening: WorkspaceOpening;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

/**
 * Opens a workspace over a link. Repeats the request under one id.
 *
 * @throws HaftError the node's error, `NODE_UNREACHABLE`, the reason of the signal
 */
export async function openHostStream(way: StreamLink, options: OpenHostStream): Promise<OpenedWorkspace> {
  const { opening, signal, limitMs, times } = options;
  const id = randomUUID();
  const body = Buffer.from(JSON.stringify(opening));
  const deadline = performance.now() + limitMs;
  const { promise: aborted, resolve: abort } = Promise.withResolvers<"aborted">();
  const onAbort = () => abort("aborted");
  signal.throwIfAborted();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (let misses = 0; ;) {
      const left = deadline - performance.now();
      const pendingReply = way.ask(
        { op: "open", id, left: times.pollMs },
        Math.min(left, 2 * times.pollMs),
        body,
      );
      const reply: StreamReply | "aborted" = left <= 0 ? "late" : await Promise.race([pendingReply, aborted]);
      if (typeof reply === "object" && reply.head.running !== true)
        return new HostStream(way, id, readOpened(reply.body, opening), options);
      misses = typeof reply === "object" ? 0 : misses + 1;
      const isOver = performance.now() >= deadline;
      if (reply !== "aborted" && reply !== "unknown" && misses < MAX_MISSES && !isOver) continue;
      await takeBack(way, id, times.stopMs);
      signal.throwIfAborted();
      const why = isOver
        ? `did not open the workspace within ${Math.round(limitMs)} ms`
        : reply === "unknown"
          ? "restarted"
          : "no longer answers";
      throw nodesError(
        "NODE_UNREACHABLE",
        `The node ${why}. If it started to open the workspace, it ends it automatically.`,
      );
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Repeats until the node confirms or time is over. */
async function takeBack(way: StreamLink, id: string, stopMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const detach = way.attach(id, {
    seq: 0,
    unknown: resolve,
    take: ({ head }) => {
      if (head.gone === true) resolve();
    },
  });
  const close = () => {
    try {
      way.send({ op: "stream", id, left: 0, close: true }, Buffer.alloc(0));
    } catch {
      // Repeated later.
    }
  };
  close();
  const again = setInterval(close, 1_000);
  const late = setTimeout(resolve, stopMs);
  await promise;
  clearInterval(again);
  clearTimeout(late);
  detach();
}

function readOpened(body: Uint8Array, { access }: WorkspaceOpening): OpenedStream {
  const { ok, error, opened } = readObject(body) ?? {};
  if (ok === false) throw errorOf(error);
  const { mounts, runner, inherit } = (opened ?? {}) as Partial<OpenedStream>;
  const invalid = (what: string) =>
    nodesError("NODE_ANSWER_INVALID", `The node's answer about the opened workspace is invalid: ${what}.`, {
      receipt: "none",
    });
  if (!Array.isArray(mounts) || mounts.length !== 1) throw invalid("it does not have exactly one folder");
  const mount = readMount(mounts[0], access === "ro" ? "ro" : "rw");
  if (mount === undefined) throw invalid("it is not the requested folder");
  const names = inherit === undefined ? [] : inherit;
  if (!Array.isArray(names) || names.length > 64 || !names.every(isVariable)) throw invalid("its variables");
  return {
    mounts: [mount],
    ...(names.length > 0 && { inherit: names }),
    ...(runner === "shell" && { runner }),
  };
}

function readMount(value: unknown, wanted: "ro" | "rw"): Mount | undefined {
  const { name, path, access } = (value ?? {}) as Partial<Mount>;
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (typeof path !== "string" || path.length > 4_096 || !/^\/[^\u0000-\u001f]*$/.test(path))
    return undefined;
  return name === "" && access === wanted ? { name, path, access } : undefined;
}

function isVariable(name: unknown): boolean {
  return typeof name === "string" && /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name);
}

/** A node's usable codes; others move to details. */
const CODES = new Set(["NODE_BUSY", "NODE_CHANGED", "NODE_FAILED", "NODE_NOT_OFFERED"]);

function errorOf(error: unknown): HaftError {
  const { code, message, fix, details } = (error ?? {}) as Record<string, unknown>;
  const nodeMessage =
    typeof message === "string" ? message.slice(0, 4_000).toWellFormed() : "It gives no reason.";
  const isShared = typeof code === "string" && CODES.has(code);
  const nodeCode = isShared ? (details as { code?: unknown } | undefined)?.code : code;
  const more = {
    receipt: "none",
    ...(typeof fix === "string" && { fix: fix.slice(0, 1_000).toWellFormed() }),
    ...(typeof nodeCode === "string" && { details: { code: nodeCode.slice(0, 64) } }),
  } as const;
  return nodesError(isShared ? (code as "NODE_BUSY") : "NODE_FAILED", nodeMessage, more);
}
