import nodeCrypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { Timer } from "./machine.ts";
import { currentMachine, type World } from "./world.ts";

/**
 * From here on this process has no time of its own: whoever asks is told that of the machine whose code asks, and timers are
 * the machine's. Ids are drawn by the seed. For good: it is for processes that do nothing else.
 */
export function enterVirtualTime(current: () => World): void {
  const real = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate };
  const set =
    (again: boolean, fallback: typeof real.setTimeout) =>
    (run: (...given: unknown[]) => void, milliseconds = 0, ...given: unknown[]) => {
      const machine = currentMachine.getStore();
      if (machine === undefined) return fallback(run, milliseconds, ...given);
      return machine.setTimer(() => run(...given), milliseconds, again);
    };
  const clear = (fallback: typeof real.clearTimeout) => (timer: Timer | undefined) =>
    timer instanceof Timer ? timer.stop() : fallback(timer);
  Object.assign(globalThis, {
    setTimeout: set(false, real.setTimeout),
    setInterval: set(true, real.setInterval as never),
    setImmediate: (run: (...given: unknown[]) => void, ...given: unknown[]) => {
      const machine = currentMachine.getStore();
      if (machine === undefined) return real.setImmediate(run, ...given);
      return current().schedule(0, () => machine.do(() => run(...given)));
    },
    clearTimeout: clear(real.clearTimeout),
    clearInterval: clear(real.clearInterval as never),
  });
  const dateNow = Date.now;
  const monotonic = performance.now.bind(performance);
  Date.now = () => currentMachine.getStore()?.date() ?? dateNow();
  performance.now = () => currentMachine.getStore()?.monotonic() ?? monotonic();
  const uptime = os.uptime;
  os.uptime = () => {
    const machine = currentMachine.getStore();
    return machine === undefined ? uptime() : machine.uptime() / 1_000;
  };
  const fill = <T extends Uint8Array>(bytes: T): T => {
    const { random } = current();
    for (let at = 0; at < bytes.length; at++) bytes[at] = Math.floor(random() * 256);
    return bytes;
  };
  const uuid = () => {
    const hex = Buffer.from(fill(new Uint8Array(16))).toString("hex");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };
  Object.assign(nodeCrypto, { randomBytes: (size: number) => fill(Buffer.alloc(size)), randomUUID: uuid });
  crypto.getRandomValues = fill as never;
  crypto.randomUUID = uuid as never;
  syncBuiltinESMExports();
}
