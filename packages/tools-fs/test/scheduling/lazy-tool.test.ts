import { expect, test } from "vitest";
import { lazyModule } from "../../src/scheduling/lazy-tool.ts";

test("loads once and then returns the module synchronously", async () => {
  let loads = 0;
  const load = lazyModule(async () => ({ number: ++loads }));
  const [first, second] = await Promise.all([load(), load()]);
  expect(first).toBe(second);
  expect(first).toEqual({ number: 1 });
  expect(load()).toBe(first);
});

test("continues calls in their order, including calls during loading", async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  const load = lazyModule(() => promise);
  const order: number[] = [];
  const call = async (number: number): Promise<void> => {
    await load();
    order.push(number);
  };
  const calls = [call(1), call(2)];
  resolve({});
  await Promise.resolve();
  calls.push(call(3));
  await Promise.all(calls);
  expect(order).toEqual([1, 2, 3]);
});

test("does not let a call without further parts overtake a waiting call", async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  const ready = lazyModule(async () => ({}));
  await ready();
  const late = lazyModule(() => promise);
  const order: string[] = [];
  const call = async (load: () => unknown, name: string): Promise<void> => {
    await load();
    order.push(name);
  };
  const calls = [call(late, "late"), call(ready, "ready")];
  await new Promise(setImmediate);
  expect(order).toEqual([]);
  resolve({});
  await Promise.all(calls);
  expect(order).toEqual(["late", "ready"]);
});

test("tries again after a failure", async () => {
  let loads = 0;
  const load = lazyModule(async () => {
    loads += 1;
    if (loads === 1) throw new Error("too many open files");
    return loads;
  });
  await expect(Promise.all([load(), load()])).rejects.toThrow("too many open files");
  expect(await load()).toBe(2);
});
