import type { ProcessInfo } from "@haft/core";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { type RunnerCall, connectFakeRunner, type FakeRunner } from "./support.ts";

const INFO = {
  id: "one",
  callerId: "call",
  pid: 7,
  command: "true",
  cwd: "/workspace",
  startedAt: 1,
  endedAt: 2,
  state: "exited",
  reason: "exit",
  exitCode: 0,
  pty: false,
  stdin: "closed",
  output: { stdout: 3, stderr: 1, total: 4, dropped: 0, spooled: 0 },
} satisfies ProcessInfo;
const CHUNKS = [
  { stream: "stdout", offset: 0, length: 3 },
  { stream: "stderr", offset: 3, length: 1 },
];
const HEAD = { chunks: CHUNKS, next: 4, dropped: 0, total: 4, state: "exited" };

/** Answers ends with the output beside them, and questions for output with what was written since. */
async function opened(brought: object = { output: HEAD }) {
  const calls: RunnerCall[] = [];
  const { connection } = await connectFakeRunner((runner: FakeRunner, call) => {
    calls.push(call);
    const { n, op } = call;
    if (op !== "read") return runner.send({ n, value: INFO, ...brought }, Buffer.from("outE"));
    const later = { ...HEAD, chunks: [{ stream: "stdout", offset: 0, length: 5 }], next: 5, total: 5 };
    runner.send({ n, value: later }, Buffer.from("later"));
  });
  const textOf = async (options?: { max?: number }, from = 0): Promise<string> => {
    const { chunks } = await connection.processes.read("one", from, options);
    return Buffer.concat(chunks.map(({ bytes }) => bytes)).toString();
  };
  return { ...connection, calls: () => calls.map(({ op }) => op), first: calls, textOf };
}

test.each([
  ["start", ["call", {}, { waitMs: 100 }]],
  ["wait", ["one"]],
] as const)("uses output that %s includes, without another call", async (op, args) => {
  const { processes, calls, first, textOf } = await opened();
  const call = processes[op] as (...given: unknown[]) => Promise<ProcessInfo>;
  expect(await call(...args)).toEqual(INFO);
  expect(JSON.stringify(first[0]!.head["args"])).toContain('"bringOutput":16384');
  const { chunks, ...rest } = await processes.read("one", 0);
  expect(rest).toEqual({ next: 4, dropped: 0, total: 4, state: "exited" });
  expect(chunks.map(({ stream, bytes }) => [stream, Buffer.from(bytes).toString()])).toEqual([
    ["stdout", "out"],
    ["stderr", "E"],
  ]);
  expect(calls()).toEqual([op]);
  // Part of it, and of another process, is what the runner says.
  expect(await textOf({ max: 3 })).toBe("later");
  expect(calls()).toEqual([op, "read"]);
});

test("reads output again in the next turn, because remaining processes may write", async () => {
  const { processes, calls, textOf } = await opened();
  await processes.wait("one");
  expect(await textOf()).toBe("outE");
  await nextTurn();
  expect(await textOf()).toBe("later");
  expect(calls()).toEqual(["wait", "read"]);
});

test("reads output of another offset", async () => {
  const { processes, calls, textOf } = await opened();
  await processes.wait("one");
  expect(await textOf({}, 2)).toBe("later");
  expect(calls()).toEqual(["wait", "read"]);
});

test("reads output if the runner includes none", async () => {
  const { processes, calls, textOf } = await opened({});
  await processes.wait("one");
  expect(await textOf()).toBe("later");
  expect(calls()).toEqual(["wait", "read"]);
});

test.each([
  ["bytes that are not there", { ...HEAD, chunks: [{ stream: "stdout", offset: 0, length: 300 }] }],
  ["no numbers", { ...HEAD, total: "4" }],
  ["no chunks", { ...HEAD, chunks: {} }],
  ["a text", "output"],
])("abandons a runner that includes %s", async (_, output) => {
  const { processes } = await opened({ output });
  await expect(processes.wait("one")).rejects.toThrow(/should have answered/);
});
