import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createThrower } from "../../core/test/support/kernel.ts";
import { isThenable, lazy, untilAborted, withTimeout } from "../src/promises.ts";
import { baseName, formatBytes, isObject, sha256, truncate } from "../src/values.ts";

const never = new Promise<never>(() => {});
const late = () => new Error("late");

test("lazy loads once, at the first call, and again after a failure", async () => {
  let loads = 0;
  const load = lazy(async () => {
    if (++loads === 1) throw new Error("too many open files");
    return { loads };
  });
  expect(loads).toBe(0);
  const first = load();
  expect(load()).toBe(first);
  await expect(first).rejects.toThrow("too many open files");
  expect(await load()).toEqual({ loads: 2 });
  expect(load()).toBe(load());
  expect(await load()).toEqual({ loads: 2 });
});

test("withTimeout returns the result of a promise or a function, and throws its error", async () => {
  expect(await withTimeout(Promise.resolve(1), 1_000)).toBe(1);
  expect(await withTimeout(() => 2, 1_000, { error: late })).toBe(2);
  const failing = createThrower(new Error("at once"));
  await expect(withTimeout(failing, 1_000)).rejects.toThrow("at once");
  expect(await withTimeout(Promise.resolve(3), Number.POSITIVE_INFINITY)).toBe(3);
});

test("withTimeout ends with undefined or an error when the time is over, and tells the work", async () => {
  expect(await withTimeout(never, 1)).toBeUndefined();
  let told: AbortSignal | undefined;
  const work = (signal: AbortSignal) => {
    told = signal;
    return never;
  };
  await expect(withTimeout(work, 1, { error: late })).rejects.toThrow("late");
  expect(told?.reason).toEqual(late());
});

test("withTimeout ends with the reason of a signal, and does not start the work after it", async () => {
  const controller = new AbortController();
  const waiting = withTimeout(never, 60_000, { signal: controller.signal });
  controller.abort(new Error("cancelled"));
  await expect(waiting).rejects.toThrow("cancelled");
  let starts = 0;
  const after = withTimeout(() => ++starts, 60_000, { signal: controller.signal, error: late });
  await expect(after).rejects.toThrow("cancelled");
  expect(starts).toBe(0);
  const rejected = withTimeout(Promise.reject(new Error("ignored")), 60_000, { signal: controller.signal });
  await expect(rejected).rejects.toThrow("ignored");
});

test("untilAborted waits for the promise or the signal", async () => {
  const controller = new AbortController();
  expect(await untilAborted(Promise.resolve(1), undefined)).toBe(1);
  expect(await untilAborted(Promise.resolve(2), controller.signal)).toBe(2);
  const waiting = untilAborted(never, controller.signal);
  controller.abort(new Error("cancelled"));
  await expect(waiting).rejects.toThrow("cancelled");
  await expect(untilAborted(never, controller.signal)).rejects.toThrow("cancelled");
});

test("a late failure is not an unhandled rejection", async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  expect(await withTimeout(() => promise, 1)).toBeUndefined();
  reject(new Error("too late"));
  await new Promise(setImmediate);
});

test("isThenable and isObject", () => {
  const thenable = { ["then" as string]: () => {} };
  expect([Promise.resolve(), thenable, {}, null, undefined].map((each: unknown) => isThenable(each))).toEqual(
    [true, true, false, false, false],
  );
  expect([{}, new Map(), [], null, "text", () => {}].map(isObject)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 KB"],
  [1536, "1.5 KB"],
  [32 * 1024, "32 KB"],
  [1024 ** 2 - 1, "1 MB"],
  [2.25 * 1024 ** 3, "2.3 GB"],
  [5000 * 1024 ** 4, "5000 TB"],
])("formatBytes(%d) is %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));

test("truncate keeps short texts, counts the ellipsis, and never splits a pair", () => {
  expect(truncate("12345", 5)).toBe("12345");
  expect(truncate("123456", 5)).toBe("1234…");
  expect(truncate("123😀56", 5)).toBe("123…");
});

test("baseName is the part after the last slash", () => {
  expect(["a/b.ts", "b.ts", "/", ""].map(baseName)).toEqual(["b.ts", "b.ts", "", ""]);
});

test("sha256 of texts and bytes, in three encodings", () => {
  for (const encoding of ["hex", "base64", "base64url"] as const)
    for (const data of ["", "naïve", Buffer.from([1, 2, 255])])
      expect(sha256(data, encoding)).toBe(createHash("sha256").update(data).digest(encoding));
  expect(sha256("a")).toMatch(/^[0-9a-f]{64}$/);
});
