import { Type } from "@haft/plugin-sdk";
import { describe, expect, test } from "vitest";
import { computeDigest } from "../../src/contract/canonical-json.ts";
import { createDeclaration } from "../../src/contract/declaration.ts";
import type { Invocation } from "../../src/contract/invocation.ts";
import { type AnyNodeCommand, createNode } from "../../src/index.ts";
import { camera } from "../support/camera.ts";

function nodeWith(commands: readonly AnyNodeCommand[]) {
  const node = createNode({ id: "n1", commands });
  const invocation = (command: string, more: Partial<Invocation> = {}): Invocation => ({
    id: "i1",
    host: "h1",
    command,
    declared: computeDigest(node.declaration.commands.find(({ name }) => name === command)!),
    params: {},
    timeLeftMs: 60_000,
    ...more,
  });
  return { node, invocation };
}

const plain: AnyNodeCommand = {
  name: "a.b",
  description: "Does it.",
  parameters: Type.Object({}),
  effects: ["write"],
  run: () => ({ content: [{ type: "text", text: "done" }], details: {} }),
};

describe("invalid offers", () => {
  test.each<[string, Partial<AnyNodeCommand>, RegExp]>([
    ["a name without a dot", { name: "snap" }, /camera\.snap/],
    ["a name whose first word has capitals", { name: "Camera.snap" }, /lower-case/],
    ["a name with an empty word", { name: "camera..snap" }, /joined by dots/],
    ["a name with a space", { name: "camera.snap now" }, /joined by dots/],
    ["a name with a line break", { name: "camera.snap\n" }, /joined by dots/],
    ["no description", { description: " " }, /description is missing/],
    ["an unknown effect", { effects: ["fly" as never] }, /effects/],
    ["parameters that are not an object", { parameters: Type.String() as never }, /parameters/],
    ["a time of 0 ms", { timeoutMs: 0 }, /timeoutMs/],
    ["a result size above the limit", { resultBytes: 1e9 }, /resultBytes/],
  ])("%s", (_, parts, message) => {
    expect(() => createNode({ id: "n1", commands: [{ ...plain, ...parts }] })).toThrow(message);
  });

  test("two commands with the same name", () => {
    expect(() => createDeclaration([plain, plain])).toThrow(/used twice/);
  });

  test("the digest does not depend on the order of the offer", () => {
    const other = { ...plain, name: "a.c" };
    const [first, second] = [createDeclaration([plain, other]), createDeclaration([other, plain])];
    expect(first).toEqual(second);
    expect(computeDigest(first.commands[0]!)).not.toBe(
      computeDigest(createDeclaration([{ ...plain, description: "Does it all." }]).commands[0]!),
    );
  });
});

describe("an invocation", () => {
  test("runs once for repeated deliveries", async () => {
    const { commands, snapped } = camera();
    const { node, invocation } = nodeWith(commands);
    const one = invocation("camera.snap", { params: { room: "hall" } });
    const answers = await Promise.all([
      node.invoke(one),
      node.invoke(one),
      node.invoke({ ...one, timeLeftMs: 1 }),
    ]);
    expect(snapped).toEqual(["hall"]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await node.recall("h1", "i1")).toEqual(answers[0]);
    // The same id of another host is another invocation.
    await node.invoke({ ...one, host: "h2" });
    expect(snapped).toEqual(["hall", "hall"]);
  });

  test.each([
    ["without remaining time", { timeLeftMs: 0 }, "NODE_NOT_DELIVERED"],
    ["with an invalid time", { timeLeftMs: Number.NaN }, "NODE_NOT_DELIVERED"],
    ["of a command that differs from its approval", { declared: "another" }, "NODE_CHANGED"],
    ["of an unknown command", { command: "door.open" }, "NODE_NOT_OFFERED"],
    ["with invalid parameters", { params: { room: 7 } as never }, "INVALID_ARGUMENTS"],
  ])("does not run %s", async (_, parts, code) => {
    const { commands, snapped } = camera();
    const { node, invocation } = nodeWith(commands);
    const answer = await node.invoke(
      invocation("camera.snap", { params: { room: "hall", zoom: 0 }, ...parts }),
    );
    expect(answer).toMatchObject({ ok: false });
    if (code !== "INVALID_ARGUMENTS") expect(answer).toMatchObject({ error: { code, receipt: "none" } });
    expect(snapped).toEqual([]);
  });

  test("does not run after it was recalled before its arrival", async () => {
    const { commands, snapped } = camera();
    const { node, invocation } = nodeWith(commands);
    expect(await node.recall("h1", "i1")).toMatchObject({
      error: { code: "NODE_NOT_DELIVERED", receipt: "none" },
    });
    const late = await node.invoke(invocation("camera.snap", { params: { room: "hall" } }));
    expect(late).toMatchObject({ error: { code: "NODE_NOT_DELIVERED", receipt: "none" } });
    expect(snapped).toEqual([]);
  });

  test("times out with an unknown outcome", async () => {
    const { node, invocation } = nodeWith(camera().commands);
    const answer = await node.invoke(invocation("light.hold", { timeLeftMs: 500 }));
    expect(answer).toMatchObject({ error: { code: "NODE_COMMAND_TIMEOUT", receipt: "unknown" } });
  });

  test("ends with its node, which then refuses calls", async () => {
    const { commands, held } = camera();
    const { node, invocation } = nodeWith(commands);
    const answer = node.invoke(invocation("light.hold"));
    await held;
    await node.close();
    expect(await answer).toMatchObject({ error: { code: "ABORTED", receipt: "unknown" } });
    expect(await node.invoke(invocation("light.hold", { id: "i2" }))).toMatchObject({
      error: { code: "NODE_BUSY", receipt: "none" },
    });
  });

  test.each<[string, AnyNodeCommand["run"], string]>([
    [
      "more than declared",
      () => ({ content: [{ type: "text", text: "x".repeat(200) }], details: {} }),
      "NODE_ANSWER_INVALID",
    ],
    ["a text", () => "text" as never, "NODE_ANSWER_INVALID"],
    ["a value that is not JSON", () => ({ content: [], details: 1n }), "NODE_ANSWER_INVALID"],
    ["nothing", () => undefined as never, "NODE_ANSWER_INVALID"],
    ["a rejected promise", () => Promise.reject(new Error("broken")), "NODE_FAILED"],
  ])("fails after it ran if it returns %s", async (_, run, code) => {
    const { node, invocation } = nodeWith([{ ...plain, resultBytes: 100, run }]);
    expect(await node.invoke(invocation("a.b"))).toMatchObject({ error: { code, receipt: "unknown" } });
  });

  test("is refused above the concurrency limit", async () => {
    const { commands, release } = camera();
    const { node, invocation } = nodeWith(commands.map((command) => ({ ...command, concurrency: 1 })));
    const first = node.invoke(invocation("light.hold"));
    expect(await node.invoke(invocation("light.hold", { id: "i2" }))).toMatchObject({
      error: { code: "NODE_BUSY" },
    });
    release();
    expect(await first).toMatchObject({ ok: true });
  });
});
