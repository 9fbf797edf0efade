import { expect, onTestFinished, test, vi } from "vitest";
import { ShellPool, type StartPooledShell } from "../../../src/run/children/shell-pool.ts";
import { resolveShell } from "../../../src/run/shell-program.ts";

const cwd = "/";
const launch = { argv: ["sh"], cwd, env: {}, input: false, expect: [] };

function shells() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const start = vi.fn<StartPooledShell>(async () => Promise.reject(new Error("no shell in this test")));
  const spares = new ShellPool(start);
  const take = (): void => void spares.take(launch, resolveShell("sh", undefined, cwd), "true");
  return { spares, start, take };
}

test("starts the next shell after a command has ended, even if another follows at once", () => {
  const { spares, start, take } = shells();
  for (let calls = 1; calls <= 3; calls++) {
    take();
    vi.advanceTimersByTime(4);
    expect(start).toHaveBeenCalledTimes(calls - 1);
    spares.commandEnded();
    expect(start).toHaveBeenCalledTimes(calls - 1);
    vi.advanceTimersByTime(5);
    expect(start).toHaveBeenCalledTimes(calls);
  }
  vi.advanceTimersByTime(1000);
  expect(start).toHaveBeenCalledTimes(3);
});

test("starts one shell for many commands, also if they continue to run", () => {
  const { spares, start, take } = shells();
  take();
  vi.advanceTimersByTime(100);
  spares.commandEnded();
  vi.advanceTimersByTime(100);
  expect(start).toHaveBeenCalledTimes(1);
  for (let calls = 0; calls < 5; calls++) take();
  for (let ends = 0; ends < 5; ends++) spares.commandEnded();
  vi.advanceTimersByTime(100);
  expect(start).toHaveBeenCalledTimes(2);
});

test("starts no shell after the end of the session", () => {
  const { spares, start, take } = shells();
  take();
  spares.commandEnded();
  spares.close();
  spares.commandEnded();
  vi.advanceTimersByTime(100);
  expect(start).not.toHaveBeenCalled();
});
