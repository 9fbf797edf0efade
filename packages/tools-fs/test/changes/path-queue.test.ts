import { setTimeout as sleep } from "node:timers/promises";
import type { FileSystem } from "@haft/core";
import { expect, test } from "vitest";
import { inPathQueue } from "../../src/changes/path-queue.ts";

const fs = {} as FileSystem;

function call(log: string[], name: string, keys: string[], ms: number, signal?: AbortSignal, resolveMs = 0) {
  return inPathQueue(
    fs,
    async () => {
      if (resolveMs > 0) await sleep(resolveMs);
      return keys.map((key) => ({ key }));
    },
    async () => {
      log.push(`+${name}`);
      await sleep(ms);
      log.push(`-${name}`);
    },
    signal,
  );
}

test("one path: in the order of the calls, even when an earlier path takes longer to resolve", async () => {
  const log: string[] = [];
  await Promise.all([
    call(log, "a", ["x"], 5, undefined, 20),
    call(log, "b", ["x"], 1),
    call(log, "c", ["x"], 1),
  ]);
  expect(log).toEqual(["+a", "-a", "+b", "-b", "+c", "-c"]);
});

test("different paths run side by side; a call on both waits for both", async () => {
  const log: string[] = [];
  await Promise.all([call(log, "a", ["x"], 20), call(log, "b", ["y"], 5), call(log, "both", ["y", "x"], 1)]);
  expect(log).toEqual(["+a", "+b", "-b", "-a", "+both", "-both"]);
});

test("calls on the same paths in opposite order do not wait for each other forever", async () => {
  const log: string[] = [];
  await Promise.all([call(log, "a", ["x", "y"], 2), call(log, "b", ["y", "x"], 2)]);
  expect(log).toHaveLength(4);
});

test("a call that fails lets the next one run", async () => {
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
  await call(log, "next", ["x"], 0);
  expect(log).toEqual(["+next", "-next"]);
});

test("a call aborted while it waits never runs, and nobody overtakes those before it", async () => {
  const log: string[] = [];
  const controller = new AbortController();
  const first = call(log, "first", ["x"], 30);
  const waiting = call(log, "waiting", ["x"], 1, controller.signal);
  setTimeout(() => controller.abort(), 5);
  await expect(waiting).rejects.toMatchObject({ code: "ABORTED", receipt: "none" });
  await Promise.all([first, call(log, "last", ["x"], 1)]);
  expect(log).toEqual(["+first", "-first", "+last", "-last"]);
});
