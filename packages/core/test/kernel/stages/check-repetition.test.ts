import { Type } from "@sinclair/typebox";
import { describe, expect, test } from "vitest";
import { image, text } from "../../../src/contract/result.ts";
import { resultFingerprint } from "../../../src/kernel/stages/record.ts";
import {
  answer,
  getCode,
  decide,
  echo,
  eventTypes,
  createGate,
  makeTool,
  openSession,
  createTestPolicy,
  getOutcomeText,
  waitUntilSettled,
  createThrower,
  watch,
} from "../../support/kernel.ts";

const value = { value: "the same" };

describe("a call that must not repeat", () => {
  function sender(execute = () => answer("sent")) {
    let runs = 0;
    const tool = echo("send", {
      effects: ["message"],
      execute: () => {
        runs++;
        return execute();
      },
    });
    return { tool, runs: () => runs };
  }

  test("runs once for any number of requests", async () => {
    const { tool, runs } = sender();
    const session = await openSession({ tools: [tool] });
    const events = watch(session);
    expect(getCode(await session.call({ id: "1", name: "send", arguments: value }))).toBe("ok");
    for (const id of ["2", "3", "4", "5"]) {
      const again = await session.call({ id, name: "send", arguments: value });
      expect(again).toMatchObject({
        kind: "blocked",
        code: "DUPLICATE_CALL",
        receipt: "none",
        details: { duplicateOf: "1" },
      });
      expect(getOutcomeText(again)).toContain("already succeeded (1)");
    }
    expect(runs()).toBe(1);
    expect(
      session
        .ledger()
        .slice(1)
        .every(({ duplicateOf }) => duplicateOf === "1"),
    ).toBe(true);
    expect(eventTypes(events, "2")).toEqual(["tool-blocked", "tool-end"]);
  });

  test("runs again with other arguments", async () => {
    const { tool, runs } = sender();
    const session = await openSession({ tools: [tool] });
    await session.call({ name: "send", arguments: { value: "a" } });
    await session.call({ name: "send", arguments: { value: "b" } });
    expect(runs()).toBe(2);
  });

  test("runs again after a failure", async () => {
    let fails = true;
    const { tool, runs } = sender(() => {
      if (fails) throw new Error("no network");
      return answer("sent");
    });
    const session = await openSession({ tools: [tool] });
    expect(getCode(await session.call({ name: "send", arguments: value }))).toBe("TOOL_FAILED");
    fails = false;
    expect(getCode(await session.call({ name: "send", arguments: value }))).toBe("ok");
    expect(getCode(await session.call({ name: "send", arguments: value }))).toBe("DUPLICATE_CALL");
    expect(runs()).toBe(2);
  });

  test.for([true, false])("does not run in parallel with itself (loop limits on: %s)", async (guarded) => {
    const { promise, resolve, reject } = createGate();
    const { tool, runs } = sender(() => promise.then(() => answer("sent")) as never);
    const session = await openSession({ tools: [tool], ...(guarded ? {} : { loopGuard: false as const }) });
    const first = session.call({ id: "1", name: "send", arguments: value });
    await waitUntilSettled();
    const beside = await session.call({ id: "2", name: "send", arguments: value });
    expect(getCode(beside)).toBe("DUPLICATE_CALL");
    expect(getOutcomeText(beside)).toContain("is running already");
    reject(new Error("no network"));
    resolve();
    expect(getCode(await first)).toBe("TOOL_FAILED");
    // It failed, so nothing was sent and nothing runs: the next one may.
    expect(getCode(await session.call({ id: "3", name: "send", arguments: value }))).toBe("TOOL_FAILED");
    expect(runs()).toBe(2);
  });

  test("does not run again with other volatile arguments", async () => {
    const tool = makeTool("send", {
      effects: ["message"],
      parameters: Type.Object({ text: Type.String(), requestId: Type.String() }),
      progress: { volatileArguments: ["requestId"] },
    });
    const session = await openSession({ tools: [tool] });
    await session.call({ name: "send", arguments: { text: "hi", requestId: "1" } });
    expect(getCode(await session.call({ name: "send", arguments: { text: "hi", requestId: "2" } }))).toBe(
      "DUPLICATE_CALL",
    );
    expect(getCode(await session.call({ name: "send", arguments: { text: "ho", requestId: "2" } }))).toBe(
      "ok",
    );
  });

  test("does not run again with an alias, another key order or JSON text", async () => {
    const tool = makeTool("send", {
      effects: ["message"],
      parameters: Type.Object({ to: Type.String(), text: Type.String() }),
      aliases: { to: ["recipient"] },
    });
    const session = await openSession({ tools: [tool] });
    await session.call({ name: "send", arguments: { to: "ann", text: "hi" } });
    for (const same of [
      { text: "hi", to: "ann" },
      { recipient: "ann", text: "hi" },
      '{"text":"hi","to":"ann"}',
    ]) {
      expect(getCode(await session.call({ name: "Send", arguments: same }))).toBe("DUPLICATE_CALL");
    }
  });

  test("is repeatable or not by the choice of its tool", async () => {
    const session = await openSession({
      tools: [
        makeTool("ring", { effects: ["message"], progress: { identicalRepeat: "run" } }),
        makeTool("pay", { effects: ["network"], progress: { identicalRepeat: "suppress" } }),
      ],
    });
    for (const code of ["ok", "ok"]) expect(getCode(await session.call({ name: "ring" }))).toBe(code);
    for (const code of ["ok", "DUPLICATE_CALL"])
      expect(getCode(await session.call({ name: "pay" }))).toBe(code);
  });

  test("runs again after the user has spoken", async () => {
    const { tool, runs } = sender();
    const session = await openSession({ tools: [tool] });
    await session.call({ name: "send", arguments: value });
    session.resetLoopGuard();
    expect(getCode(await session.call({ name: "send", arguments: value }))).toBe("ok");
    expect(runs()).toBe(2);
  });

  test("does not run again after a refusal", async () => {
    let effect: "allow" | "deny" = "allow";
    const { tool, runs } = sender();
    const session = await openSession({ tools: [tool], policy: createTestPolicy({ call: () => effect }) });
    await session.call({ name: "send", arguments: value });
    effect = "deny";
    expect(getCode(await session.call({ name: "send", arguments: value }))).toBe("POLICY_DENIED");
    effect = "allow";
    expect(getCode(await session.call({ name: "send", arguments: value }))).toBe("DUPLICATE_CALL");
    expect(runs()).toBe(1);
  });
});

describe("a loop", () => {
  async function repeat(times: number, name: string, setup: Parameters<typeof openSession>[0]) {
    const session = await openSession(setup);
    const outcomes = [];
    for (let i = 0; i < times; i++) outcomes.push(await session.call({ name, arguments: value }));
    return { session, outcomes, codes: outcomes.map(getCode) };
  }

  test("gets a warning with the result, and then a block", async () => {
    const { session, outcomes, codes } = await repeat(14, "echo", { tools: [echo()] });
    expect(getOutcomeText(outcomes[3]!)).not.toContain("Note");
    expect(getOutcomeText(outcomes[4]!)).toContain(
      "the same\n\n[Note: This exact call has now given the same result 5 times.",
    );
    expect(codes).toEqual([...Array(10).fill("ok"), ...Array(4).fill("LOOP_REPEAT")]);
    expect(getOutcomeText(outcomes[10]!)).toMatch(/^Blocked: This exact call gave the same result 10 times/);
    expect(session.ledger()[4]!.result).toMatchObject({ content: outcomes[4]!.content });
    expect(session.ledger().slice(10)).toMatchObject(
      Array.from({ length: 4 }, () => ({ status: "failed", outcome: "blocked" })),
    );
  });

  test("is reported to listeners", async () => {
    const session = await openSession({ tools: [echo()] });
    const events = watch(session);
    for (let i = 0; i < 11; i++) await session.call({ id: `${i}`, name: "echo", arguments: value });
    expect(eventTypes(events, "4")).toEqual(["tool-start", "tool-warning", "tool-end"]);
    expect(eventTypes(events, "10")).toEqual(["tool-blocked", "tool-end"]);
  });

  test("includes equal failures", async () => {
    const execute = createThrower(new Error("no such file"));
    const { codes } = await repeat(12, "echo", { tools: [echo("echo", { execute })] });
    expect(codes).toEqual([...Array(10).fill("TOOL_FAILED"), "LOOP_REPEAT", "LOOP_REPEAT"]);
  });

  test("includes calls that policy denies", async () => {
    const { outcomes, codes } = await repeat(6, "echo", {
      tools: [echo()],
      policy: createTestPolicy({ call: () => "deny" }),
    });
    expect(new Set(codes)).toEqual(new Set(["POLICY_DENIED"]));
    expect(getOutcomeText(outcomes[4]!)).toContain("[Note: ");
  });

  test("includes a missing tool and invalid arguments", async () => {
    const unknown = await repeat(5, "nobody", { tools: [echo()] });
    expect(getOutcomeText(unknown.outcomes[4]!)).toContain("[Note: ");
    const invalid = await repeat(5, "t", { tools: [makeTool("t")] });
    expect(invalid.codes).toEqual(Array(5).fill("INVALID_ARGUMENTS"));
    expect(getOutcomeText(invalid.outcomes[4]!)).toContain("[Note: ");
  });

  test("excludes different invalid arguments", async () => {
    const session = await openSession({
      tools: [makeTool("t", { parameters: Type.Object({ n: Type.Optional(Type.Number()) }) })],
    });
    expect(getCode(await session.call({ name: "t", arguments: {} }))).toBe("ok");
    for (let i = 0; i < 8; i++) {
      const outcome = await session.call({ name: "t", arguments: { [`wrong${i}`]: i } });
      expect(getOutcomeText(outcome)).not.toContain("[Note: ");
    }
  });

  test("includes results that differ only in durations and process ids", async () => {
    let runs = 0;
    const execute = () => answer(`ran in ${++runs} ms`, { exitCode: 1, ms: runs, process: { pid: runs } });
    const tool = echo("echo", { execute, progress: { volatileDetails: ["ms", "process.pid"] } });
    const { codes } = await repeat(11, "echo", { tools: [tool] });
    expect(codes.at(-1)).toBe("LOOP_REPEAT");
  });

  test("has higher limits for a poll, which its tool declares", async () => {
    const isPoll = (args: Readonly<Record<string, unknown>>) => args["value"] === "the same";
    const { codes } = await repeat(21, "echo", { tools: [echo("echo", { progress: { isPoll } })] });
    expect(codes.indexOf("LOOP_REPEAT")).toBe(20);
  });

  test("is found despite functions that throw and details that cannot be cloned", async () => {
    const throwing = createThrower(new Error("no"));
    const execute = () => answer("same", { run: throwing, at: 1 });
    const tool = echo("echo", { execute, progress: { isPoll: throwing, volatileDetails: ["at"] } });
    const { codes } = await repeat(11, "echo", { tools: [tool] });
    expect(codes.slice(0, 10)).toEqual(Array(10).fill("ok"));
    const denied = await repeat(2, "echo", {
      tools: [tool],
      policy: createTestPolicy({ call: () => "deny" }),
    });
    expect(denied.codes).toEqual(["POLICY_DENIED", "POLICY_DENIED"]);
  });

  test("excludes reads after a write", async () => {
    const session = await openSession({ tools: [echo("read"), echo("write", { effects: ["write"] })] });
    for (let i = 0; i < 25; i++) {
      expect(getCode(await session.call({ name: "read", arguments: value }))).toBe("ok");
      expect(getCode(await session.call({ name: "write", arguments: { value: `${i}` } }))).toBe("ok");
    }
  });

  test("has limits that the host sets or disables", async () => {
    const strict = await repeat(4, "echo", { tools: [echo()], loopGuard: { repeat: { warn: 2, block: 3 } } });
    expect(strict.codes).toEqual(["ok", "ok", "ok", "LOOP_REPEAT"]);
    const off = await repeat(40, "echo", { tools: [echo()], loopGuard: false });
    expect(new Set(off.codes)).toEqual(new Set(["ok"]));
    expect(off.outcomes.every((outcome) => getOutcomeText(outcome) === "the same")).toBe(true);
  });

  test("includes requests for a denied approval", async () => {
    const policy = { forSession: () => ({ visibility: () => decide("allow"), call: () => decide("ask") }) };
    const { outcomes, codes } = await repeat(11, "echo", {
      tools: [echo()],
      policy,
      approver: { ask: () => Promise.resolve("deny" as const) },
    });
    expect(getOutcomeText(outcomes[5]!)).toContain("[Note: ");
    expect(codes.at(-1)).toBe("LOOP_REPEAT");
  });
});

test("uses only the text for the fingerprint without volatile fields", () => {
  expect(resultFingerprint([text("a")], { at: 1 }, undefined)).toBe(
    resultFingerprint([text("a")], { at: 2 }, []),
  );
  expect(resultFingerprint([text("a")], {}, undefined)).not.toBe(
    resultFingerprint([text("b")], {}, undefined),
  );
});

test("uses the details without the volatile fields for the fingerprint", () => {
  const volatile = ["pid", "timing.ms"];
  const one = resultFingerprint([text("in 1 ms")], { pid: 1, exit: 0, timing: { ms: 1, user: 2 } }, volatile);
  const same = resultFingerprint(
    [text("in 9 ms")],
    { pid: 7, exit: 0, timing: { ms: 9, user: 2 } },
    volatile,
  );
  const other = resultFingerprint(
    [text("in 1 ms")],
    { pid: 1, exit: 1, timing: { ms: 1, user: 2 } },
    volatile,
  );
  expect(same).toBe(one);
  expect(other).not.toBe(one);
});

test("does not change the details", () => {
  const details = { pid: 1, timing: { ms: 1 } };
  resultFingerprint([], details, ["pid", "timing.ms", "missing.deep.path"]);
  expect(details).toEqual({ pid: 1, timing: { ms: 1 } });
});

test("accepts details that cannot be cloned", () => {
  expect(() => resultFingerprint([text("a")], { run: () => 1, pid: 1 }, ["pid"])).not.toThrow();
});

test("distinguishes long texts and images that differ in one character", () => {
  const long = "x".repeat(10_000);
  const of = (one: string, data: string) =>
    resultFingerprint([text(one), { type: "image", data, mimeType: "image/png" }], {}, undefined);
  expect(of(long, long)).toBe(of(long, long));
  expect(of(`${long}a`, long)).not.toBe(of(`${long}b`, long));
  expect(of(long, `${long}a`)).not.toBe(of(long, `${long}b`));
});

test("limits the length of the fingerprint", () => {
  expect(resultFingerprint([text("x".repeat(1_000_000))], {}, undefined).length).toBeLessThanOrEqual(128);
});

test("distinguishes images by all their bytes, also after a change", () => {
  const bytes = new Uint8Array(300_000);
  const made = (at?: number) => image(at === undefined ? bytes : bytes.with(at, 1), "image/png");
  const of = (block: ReturnType<typeof made>) => resultFingerprint([block], {}, undefined);
  expect(of(made())).toBe(of(made()));
  for (const at of [0, 150_000, 299_999]) expect(of(made(at))).not.toBe(of(made()));
  const changed = made();
  changed.data = made(1).data;
  expect(of(changed)).not.toBe(of(made()));
  expect(of(made()).length).toBeLessThanOrEqual(128);
});
