import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { contentToText } from "../../src/contract/result.ts";
import {
  answer,
  getCode,
  echo,
  createGate,
  makeTool,
  memoryLogger,
  openSession,
  getOutcomeText,
  createThrower,
} from "../support/kernel.ts";

describe("bad input", () => {
  const tools = [
    echo(),
    makeTool("count", {
      parameters: Type.Object({ value: Type.Integer(), unit: Type.Optional(Type.String()) }),
    }),
  ];

  test.for([
    ["malformed JSON", "echo", '{"value": "a', "INVALID_ARGUMENTS"],
    ["a wrong type", "count", { value: "many" }, "INVALID_ARGUMENTS"],
    ["a missing parameter", "count", { unit: "kg" }, "INVALID_ARGUMENTS"],
    ["a surplus parameter", "count", { value: 1, colour: "red" }, "INVALID_ARGUMENTS"],
    ["an array for an object", "echo", [1, 2], "INVALID_ARGUMENTS"],
    ["no arguments where some are needed", "echo", undefined, "INVALID_ARGUMENTS"],
    ["arguments of 10 MB", "echo", { value: "x".repeat(10_000_000) }, "ARGUMENTS_TOO_LARGE"],
    ["10 MB of JSON text", "echo", JSON.stringify({ value: "x".repeat(10_000_000) }), "ARGUMENTS_TOO_LARGE"],
    [
      "10 MB in many small parts",
      "echo",
      { value: Array(1_100_000).fill("ten chars.") },
      "ARGUMENTS_TOO_LARGE",
    ],
    ["an unknown tool", "frobnicate", {}, "UNKNOWN_TOOL"],
    ["an empty name", "", {}, "UNKNOWN_TOOL"],
  ] as const)("ends with a code and a ledger entry: %s", async ([_what, name, given, code]) => {
    const session = await openSession({ tools });
    const outcome = await session.call({ id: "1", name, arguments: given });
    expect(outcome).toMatchObject({ kind: "error", category: "input", code, receipt: "none" });
    expect(getOutcomeText(outcome)).not.toBe("");
    expect(session.ledger()).toMatchObject([{ toolCallId: "1", status: "failed", outcome: "error", code }]);
    expect(JSON.stringify(session.ledger()).length).toBeLessThan(10_000);
  });

  test.each([
    [null, "it is null"],
    ["ls", 'it is string "ls"'],
    [{ name: "count", args: { value: 1 } }, "its arguments are under args"],
    [{ name: "count", input: { value: 1 } }, "its arguments are under input"],
  ])("is refused as a call: %j", async (request, problem) => {
    const session = await openSession({ tools });
    const outcome = await session.call(request as never);
    expect(getCode(outcome)).toBe("INVALID_REQUEST");
    expect(getOutcomeText(outcome)).toContain(problem);
  });

  test("is refused as the name of a tool to explain: 3", async () => {
    const session = await openSession({ tools });
    await expect(session.explain(3 as never)).rejects.toMatchObject({
      code: "INVALID_OPTIONS",
      message: "explain takes the name of a tool, received number 3.",
      fix: expect.stringContaining('explain("read", {'),
    });
  });

  test("is refused beyond the limit for arguments that a tool sets", async () => {
    const lengthOf = (name: string, maxArgumentCharacters: number) =>
      makeTool(name, {
        parameters: Type.Object({ value: Type.String() }),
        maxArgumentCharacters,
        execute: (_id, { value }: Record<string, string>) => answer(`${value?.length}`),
      });
    const session = await openSession({ tools: [lengthOf("length", 15_000_000), lengthOf("short", 100)] });
    const value = "x".repeat(10_000_000);
    const ask = (name: string, given: unknown) => session.call({ id: "", name, arguments: given });
    expect(getOutcomeText(await ask("length", { value }))).toBe("10000000");
    expect(getOutcomeText(await ask("length", JSON.stringify({ value })))).toBe("10000000");
    const longer = await ask("length", { value: `${value}${value}` });
    expect(getCode(longer)).toBe("ARGUMENTS_TOO_LARGE");
    expect(getOutcomeText(longer)).toContain("15 million");
    expect(getCode(await ask("short", { value }))).toBe("ARGUMENTS_TOO_LARGE");
  });

  test("gets the nearest name for an unknown tool", async () => {
    const session = await openSession({ tools });
    const outcome = await session.call({ name: "ecco", arguments: {} });
    expect(getOutcomeText(outcome)).toContain("Did you mean echo?");
    expect(outcome.details).toMatchObject({ nearest: ["echo"] });
  });

  test("is not stored for a name of a million characters", async () => {
    const session = await openSession({ tools });
    const outcome = await session.call({ name: "x".repeat(1_000_000), arguments: {} });
    expect(getCode(outcome)).toBe("UNKNOWN_TOOL");
    expect(JSON.stringify([outcome, session.ledger()]).length).toBeLessThan(5000);
  });

  test("does not run or change a call with an id that is used", async () => {
    let runs = 0;
    const session = await openSession({
      tools: [makeTool("act", { execute: () => answer(`run ${++runs}`) })],
    });
    await session.call({ id: "1", name: "act" });
    const again = await session.call({ id: "1", name: "act" });
    expect(again).toMatchObject({
      kind: "error",
      category: "input",
      code: "DUPLICATE_CALL_ID",
      toolCallId: "1",
    });
    expect(runs).toBe(1);
    expect(session.ledger()).toMatchObject([{ toolCallId: "1", status: "completed" }]);
  });

  test("does not run a call with the id of a running call", async () => {
    const { promise, resolve } = createGate();
    const session = await openSession({
      tools: [makeTool("act", { execute: () => promise.then(() => answer("a")) })],
    });
    const first = session.call({ id: "1", name: "act" });
    expect(getCode(await session.call({ id: "1", name: "act" }))).toBe("DUPLICATE_CALL_ID");
    resolve();
    expect(getCode(await first)).toBe("ok");
  });

  test("does not run a call with an id of more than 256 characters", async () => {
    const session = await openSession({ tools });
    const outcome = await session.call({ id: "i".repeat(257), name: "echo", arguments: { value: "a" } });
    expect(outcome).toMatchObject({ kind: "error", code: "INVALID_CALL_ID", category: "input" });
  });
});

describe("an incorrect tool", () => {
  const session = (execute: () => unknown, effects: readonly ["write"] | [] = []) =>
    openSession({ tools: [makeTool("bad", { effects, execute: execute as never })], logger: memoryLogger() });

  test.for([
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
    ["an object without content", { details: {} }],
    ["content that is not an array", { content: "text", details: {} }],
    ["a block of an unknown type", { content: [{ type: "video" }], details: {} }],
    ["a block that is null", { content: [null], details: {} }],
    [
      "content whose getter throws",
      {
        get content() {
          throw new Error("no");
        },
      },
    ],
  ] as const)("fails with possible effects if it returns %s", async ([_what, value]) => {
    const outcome = await (await session(() => value, ["write"])).call({ name: "bad" });
    expect(outcome).toMatchObject({ kind: "error", receipt: "unknown" });
    expect(["RESULT_INVALID", "TOOL_FAILED"]).toContain(getCode(outcome));
  });

  test("gets a default text if it returns no content blocks", async () => {
    const outcome = await (await session(() => ({ content: [], details: {} }))).call({ name: "bad" });
    expect(outcome).toMatchObject({ kind: "ok" });
    expect(getOutcomeText(outcome)).toBe("(no output)");
  });

  const throwing = createThrower(new Error("trap"));
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error("trap");
      },
      getPrototypeOf() {
        throw new Error("trap");
      },
    },
  );
  const thrown: [string, unknown][] = [
    ["an error", new Error("boom")],
    ["an error without a message", Object.assign(new TypeError("x"), { message: "" })],
    ["a string", "boom"],
    ["an empty string", ""],
    ["undefined", undefined],
    ["null", null],
    ["an object without text", Object.create(null)],
    [
      "an object whose text throws",
      {
        toString() {
          throw new Error("no");
        },
      },
    ],
    ["a proxy whose every trap throws", hostile],
    ["an error whose message is an object", Object.assign(new Error("x"), { message: hostile })],
    [
      "a forged Haft error whose code throws",
      {
        [Symbol.for("haft.error")]: true,
        get code() {
          throw new Error("no");
        },
      },
    ],
  ];

  test.for(thrown)("fails if it throws %s at once", async ([_what, value]) => {
    const execute = createThrower(value);
    const outcome = await (await session(execute, ["write"])).call({ name: "bad" });
    expect(outcome).toMatchObject({ kind: "error", code: "TOOL_FAILED", receipt: "unknown" });
    expect(getOutcomeText(outcome)).toMatch(/^Error: ./);
  });

  test.for(thrown)("fails if it throws %s later", async ([_what, value]) => {
    const outcome = await (await session(() => Promise.reject(value))).call({ name: "bad" });
    expect(outcome).toMatchObject({ kind: "error", code: "TOOL_FAILED", receipt: "none" });
  });

  test("fails if it returns a thenable whose then throws", async () => {
    const returned = new Proxy({}, { get: throwing });
    const outcome = await (await session(() => returned, ["write"])).call({ name: "bad" });
    expect(outcome).toMatchObject({ kind: "error", receipt: "unknown" });
  });

  test("fails with a cut text if it throws ten million characters", async () => {
    const opened = await session(createThrower(new Error("x".repeat(10_000_000))));
    const outcome = await opened.call({ name: "bad" });
    expect(contentToText(outcome.content).length).toBeLessThan(150_000);
    expect(JSON.stringify(outcome.details).length).toBeLessThan(150_000);
    await opened.close();
  });

  test("cannot change the arguments in the ledger", async () => {
    const execute = (_id: string, params: { value: string }) => {
      params.value = "changed";
      return answer("done");
    };
    const opened = await openSession({ tools: [echo("echo", { execute })] });
    const given = { value: "given" };
    await opened.call({ name: "echo", arguments: given });
    expect(opened.ledger()[0]!.args).toEqual({ value: "given" });
    expect(given).toEqual({ value: "given" });
  });
});
