import type { FileSystem } from "@haft/core";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { inPathQueue } from "../../../src/changes/locks/path-queue.ts";

const fs = {} as FileSystem;

interface More {
  /** The call is not over before. */
  until?: Promise<unknown>;
  /** Its path is not known before. */
  resolved?: Promise<unknown>;
  signal?: AbortSignal;
}

function call(log: string[], name: string, keys: string[], { until, resolved, signal }: More = {}) {
  return inPathQueue(
    fs,
    async () => {
      await resolved;
      return keys.map((key) => ({ key }));
    },
    async () => {
      log.push(`+${name}`);
      await until;
      log.push(`-${name}`);
    },
    signal,
  );
}

/** Every other call that can go on has gone on. */
const settled = (): Promise<void> => sleep(10);

test("runs calls on one path in order, even if an earlier path takes longer to resolve", async () => {
  const log: string[] = [];
  await Promise.all([
    call(log, "a", ["x"], { resolved: settled(), until: settled() }),
    call(log, "b", ["x"]),
    call(log, "c", ["x"]),
  ]);
  expect(log).toEqual(["+a", "-a", "+b", "-b", "+c", "-c"]);
});

test("runs different paths in parallel, and a call on both after both", async () => {
  const log: string[] = [];
  const ended = Promise.withResolvers<void>();
  const a = call(log, "a", ["x"], { until: ended.promise });
  const b = call(log, "b", ["y"], { until: settled() });
  const both = call(log, "both", ["y", "x"]);
  await b;
  await settled();
  ended.resolve();
  await Promise.all([a, both]);
  expect(log).toEqual(["+a", "+b", "-b", "-a", "+both", "-both"]);
});

test("does not deadlock calls on the same paths in opposite order", async () => {
  const log: string[] = [];
  await Promise.all([call(log, "a", ["x", "y"], { until: settled() }), call(log, "b", ["y", "x"])]);
  expect(log).toHaveLength(4);
});

test("runs the next call after a failure", async () => {
  const failing = inPathQueue(
    fs,
    async () => [{ key: "x" }],
    async () => {
      throw new Error("boom");
    },
  );
  await expect(failing).rejects.toThrow("boom");
  const unresolved = inPathQueue(
    fs,
    () => Promise.reject(new Error("no path")),
    async () => undefined,
  );
  await expect(unresolved).rejects.toThrow("no path");
  const log: string[] = [];
  await call(log, "next", ["x"]);
  expect(log).toEqual(["+next", "-next"]);
});

test("never runs an aborted call, and keeps the order of the others", async () => {
  const log: string[] = [];
  const controller = new AbortController();
  const ended = Promise.withResolvers<void>();
  const first = call(log, "first", ["x"], { until: ended.promise });
  const waiting = call(log, "waiting", ["x"], { signal: controller.signal });
  const last = call(log, "last", ["x"]);
  await settled();
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ code: "ABORTED", receipt: "none" });
  ended.resolve();
  await Promise.all([first, last]);
  expect(log).toEqual(["+first", "-first", "+last", "-last"]);
});
