import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { DEFAULT_LOOP_LIMITS, LoopGuard, type CallTraits } from "../../src/kernel/loop-guard.ts";

const READS: CallTraits = { isPoll: false, changesWorld: false };
const WRITES: CallTraits = { isPoll: false, changesWorld: true };
const POLLS: CallTraits = { isPoll: true, changesWorld: false };

let lastId = 0;

/** One call as the kernel makes it. Answers "ran", "warned" or the code that stopped it. */
function call(guard: LoopGuard, key: string, result = "same", traits = READS, ok = true): string {
  const id = `${++lastId}`;
  const found = guard.check(key);
  if (found) {
    guard.recordStopped(key, found.code);
    return found.code;
  }
  const warning = guard.finish(guard.start(key, id, traits), id, ok, result);
  return warning ? `warned ${warning.code}` : "ran";
}

function calls(times: number, make: (index: number) => string): string[] {
  return Array.from({ length: times }, (_, index) => make(index));
}

describe("a call that waits", () => {
  const wait = (guard: LoopGuard, result: string, at: number): string => {
    vi.setSystemTime(at);
    const found = guard.check("wait");
    if (found !== undefined) {
      guard.recordStopped("wait", found.code);
      return found.code;
    }
    guard.finish(guard.start("wait", `${at}`, WRITES), `${at}`, true, result, at, 800);
    return "ran";
  };

  test("has the limits of a poll, and runs again after some seconds", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const guard = new LoopGuard();
    const seen = calls(40, (index) => wait(guard, index < 25 ? "down" : "up", index * 1000));
    expect(seen.slice(0, 20)).toEqual(Array(20).fill("ran"));
    // From then on, one look every three seconds.
    expect(seen.slice(20, 26)).toEqual([
      "LOOP_REPEAT",
      "LOOP_REPEAT",
      "ran",
      "LOOP_REPEAT",
      "LOOP_REPEAT",
      "ran",
    ]);
    expect(seen.slice(26)).toEqual(Array(14).fill("ran"));
  });
});

describe("calls that were made together", () => {
  test("are no repetition, because no result was known", () => {
    const guard = new LoopGuard();
    const start = Date.now() - 1000;
    const made = calls(20, () => guard.check("a")?.code ?? "ran");
    const records = made.map((_, index) => guard.start("a", `${index}`, READS));
    for (const [index, record] of records.entries())
      expect(
        guard.finish(record, `${index}`, true, "same", start + 10 * index + 10, 10 * index + 10),
      ).toBeUndefined();
    expect(guard.check("a")).toBeUndefined();
    expect(calls(10, () => call(guard, "a")).filter((each) => each !== "LOOP_REPEAT")).toHaveLength(9);
  });
});

describe("exact repetition", () => {
  test("gets a warning from the fifth call and a block from the eleventh", () => {
    const guard = new LoopGuard();
    const seen = calls(25, () => call(guard, "a"));
    expect(seen.slice(0, 4)).toEqual(Array(4).fill("ran"));
    expect(seen.slice(4, 10)).toEqual(Array(6).fill("warned LOOP_REPEAT"));
    expect(seen.slice(10)).toEqual(Array(15).fill("LOOP_REPEAT"));
  });

  test("ends with a new result", () => {
    const guard = new LoopGuard();
    expect(calls(40, (index) => call(guard, "a", `result ${index}`))).toEqual(Array(40).fill("ran"));
  });

  test("is found despite other calls in between", () => {
    const guard = new LoopGuard();
    const seen = calls(11, (index) => {
      call(guard, `other ${index}`, `${index}`);
      return call(guard, "a");
    });
    expect(seen.at(-1)).toBe("LOOP_REPEAT");
  });

  test("excludes tests after each edit", () => {
    const guard = new LoopGuard();
    for (let index = 0; index < 30; index++) {
      expect(call(guard, "test", "1 failed")).toBe("ran");
      expect(call(guard, `edit ${index}`, `edited ${index}`, WRITES)).toBe("ran");
    }
  });

  test("includes an edit that fails or changes nothing", () => {
    const guard = new LoopGuard();
    const seen = calls(12, (index) => {
      call(guard, `edit ${index}`, "no match", WRITES, false);
      return call(guard, "test", "1 failed");
    });
    expect(seen.at(-1)).toBe("LOOP_REPEAT");
  });

  test("may run again after a write", () => {
    const guard = new LoopGuard();
    calls(12, () => call(guard, "test", "1 failed"));
    expect(call(guard, "test", "1 failed")).toBe("LOOP_REPEAT");
    call(guard, "edit", "edited", WRITES);
    expect(call(guard, "test", "1 failed")).toBe("ran");
    expect(call(guard, "test", "1 failed")).toBe("ran");
  });

  test("stays a repetition after a refusal", () => {
    const guard = new LoopGuard();
    const record = guard.start("a", "1", READS);
    guard.finish(record, "1", true, "sent");
    guard.recordStopped("a", "LOOP_REPEAT");
    expect(guard.find("a")).toMatchObject({ succeeded: true, lastId: "1", fingerprint: "sent", running: 0 });
  });
});

describe("polls", () => {
  test("have higher limits: 10 and 20", () => {
    const guard = new LoopGuard();
    const seen = calls(22, () => call(guard, "poll", "running", POLLS));
    expect(seen.slice(0, 9)).toEqual(Array(9).fill("ran"));
    expect(seen.slice(9, 20)).toEqual(Array(11).fill("warned LOOP_REPEAT"));
    expect(seen.slice(20)).toEqual(Array(2).fill("LOOP_REPEAT"));
  });

  test("may run again after a block once another call made progress", () => {
    const guard = new LoopGuard();
    calls(21, () => call(guard, "poll", "running", POLLS));
    call(guard, "list", "three processes");
    expect(call(guard, "poll", "finished", POLLS)).toBe("ran");
  });
});

describe("cycles", () => {
  for (const period of [2, 3, 4]) {
    test(`of ${period} calls get a warning from the eighth call and a block from the fourteenth`, () => {
      const guard = new LoopGuard();
      const seen = calls(20, (index) => call(guard, `call ${index % period}`));
      const warned = seen.indexOf("warned LOOP_CYCLE");
      const blocked = seen.indexOf("LOOP_CYCLE");
      // The first round is new, so the pattern can only be noticed once it repeats.
      expect(warned).toBeGreaterThanOrEqual(7);
      expect(warned).toBeLessThanOrEqual(7 + period);
      expect(blocked).toBe(13);
      expect(seen.slice(blocked)).toEqual(Array(20 - blocked).fill("LOOP_CYCLE"));
    });
  }

  test("are blocked as a whole pattern", () => {
    const guard = new LoopGuard();
    calls(14, (index) => call(guard, index % 2 === 0 ? "a" : "b"));
    expect(call(guard, "a")).toBe("LOOP_CYCLE");
    expect(call(guard, "b")).toBe("LOOP_CYCLE");
  });

  test("are unblocked by another call that makes progress", () => {
    const guard = new LoopGuard();
    calls(14, (index) => call(guard, index % 2 === 0 ? "a" : "b"));
    expect(call(guard, "c")).toBe("ran");
    expect(call(guard, "a")).not.toBe("LOOP_CYCLE");
  });

  test("stay blocked after a failed call", () => {
    const guard = new LoopGuard();
    calls(14, (index) => call(guard, index % 2 === 0 ? "a" : "b"));
    call(guard, "c", "not found", READS, false);
    expect(call(guard, "a")).toBe("LOOP_CYCLE");
  });

  test("need equal results", () => {
    const guard = new LoopGuard();
    const seen = calls(60, (index) => call(guard, `call ${index % 2}`, `result ${index}`));
    expect(new Set(seen)).toEqual(new Set(["ran"]));
  });

  test("do not change through a check", () => {
    const guard = new LoopGuard();
    calls(13, (index) => call(guard, index % 2 === 0 ? "a" : "b"));
    expect(guard.check("b")).toMatchObject({ code: "LOOP_CYCLE" });
    expect(guard.check("a")).toBeUndefined();
  });
});

describe("the breaker", () => {
  test("stops known calls after 30 without a new result, and allows new calls", () => {
    const guard = new LoopGuard({ ...DEFAULT_LOOP_LIMITS, repeat: { warn: 99, block: 99 } });
    for (let index = 0; index < 30; index++) call(guard, `wrong ${index}`, "failed", READS, false);
    expect(call(guard, "wrong 0", "failed", READS, false)).toBe("LOOP_REPEAT");
    expect(call(guard, "wrong 0", "failed", READS, false)).toBe("LOOP_REPEAT");
    expect(call(guard, "right")).toBe("ran");
    expect(call(guard, "wrong 0", "failed", READS, false)).toBe("ran");
  });

  test("counts refusals", () => {
    const guard = new LoopGuard();
    for (let index = 0; index < 30; index++)
      guard.refuse(`denied ${index}`, `${index}`, READS, "POLICY_DENIED");
    expect(guard.check("denied 3")).toMatchObject({
      code: "LOOP_REPEAT",
      message: expect.stringContaining("returned nothing new"),
    });
  });
});

describe("refusals", () => {
  test("get warnings like repeated calls", () => {
    const guard = new LoopGuard();
    const seen = calls(6, () => guard.refuse("rm", "x", WRITES, "POLICY_DENIED")?.code ?? "silent");
    expect(seen).toEqual([...Array(4).fill("silent"), "LOOP_REPEAT", "LOOP_REPEAT"]);
  });

  test("do not change the record of the previous run", () => {
    const guard = new LoopGuard();
    guard.finish(guard.start("send", "1", READS), "1", true, "sent");
    guard.refuse("send", "2", READS, "APPROVAL_DENIED");
    expect(guard.find("send")).toMatchObject({ succeeded: true, lastId: "1" });
  });
});

property.prop([
  fc.array(
    fc.record({
      key: fc.constantFrom("a", "b", "c", "d", "e"),
      ok: fc.boolean(),
      result: fc.constantFrom("1", "2"),
    }),
    { maxLength: 120 },
  ),
])("a call never made before is never stopped, and nothing is left running", (sequence) => {
  const guard = new LoopGuard();
  const known = new Set<string>();
  for (const { key, ok, result } of sequence) {
    if (!known.has(key)) expect(guard.check(key)).toBeUndefined();
    call(guard, key, result, READS, ok);
    known.add(key);
    expect(guard.find(key)!.running).toBe(0);
  }
});

property.prop([fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 4 })])(
  "every pattern of up to four calls with unchanging results is stopped, and stays stopped",
  (pattern) => {
    const guard = new LoopGuard();
    const seen = calls(80, (index) => call(guard, pattern[index % pattern.length]!));
    expect(seen.slice(60).every((answer) => answer.startsWith("LOOP_"))).toBe(true);
  },
);

test("forgets the oldest call for each new call beyond its memory", () => {
  const guard = new LoopGuard(DEFAULT_LOOP_LIMITS, 1_000);
  for (let made = 0; made < 2_500; made++) guard.start(`call ${made}`, `id_${made}`, READS);
  expect(guard.find("call 1499")).toBeUndefined();
  expect(guard.find("call 1500")).toBeDefined();
  expect(guard.find("call 2499")).toBeDefined();
});

test("allows a stopped call once after half a minute", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const guard = new LoopGuard();
  for (let run = 0; run < 10; run++) guard.finish(guard.start("a", `${run}`, READS), `${run}`, true, "same");
  expect(guard.check("a")).toMatchObject({ kind: "block", code: "LOOP_REPEAT" });
  vi.setSystemTime(Date.now() + 31_000);
  expect(guard.check("a")).toBeUndefined();
  guard.finish(guard.start("a", "again", READS), "again", true, "same");
  expect(guard.check("a")).toMatchObject({ kind: "block" });
});

test.each([
  ["the breaker", "LOOP_REPEAT", ["a", "b", "c", "d", "e", "f"]],
  ["a stopped cycle", "LOOP_CYCLE", ["a", "b"]],
] as const)("allows each call that %s stopped once after a while", (_name, code, keys) => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const guard = new LoopGuard({ ...DEFAULT_LOOP_LIMITS, repeat: { warn: 99, block: 99 } });
  const run = (key: string) => {
    const stopped = guard.check(key);
    if (stopped !== undefined) {
      guard.recordStopped(key, stopped.code);
      return stopped.code;
    }
    guard.finish(guard.start(key, "x", READS), "x", true, `same ${key}`);
    return "ran";
  };
  let last = "ran";
  for (let made = 0; made < 60; made++) last = run(keys[made % keys.length]!);
  expect(last).toBe(code);
  expect(keys.map(run)).toEqual(keys.map(() => code));
  vi.setSystemTime(Date.now() + 31_000);
  expect(keys.map(run)).toEqual(keys.map(() => "ran"));
  expect(keys.map(run)).toEqual(keys.map(() => code));
});
