import type { Processes, ProcessInfo } from "@haft/plugin-sdk";
import { expect, onTestFinished, test, vi } from "vitest";
import { SessionBook } from "../../src/sessions/session-book.ts";
import { bench, failure } from "../support/bench.ts";

const spec = { script: "sleep 300" };
const options = {
  signal: new AbortController().signal,
  waitMs: 0,
  shell: "sh",
  isBackgrounded: true,
} as const;

test("does not query running commands with each start while they are few", async () => {
  const { workspace, start, process } = bench();
  const list = vi.spyOn(workspace.processes!, "list");
  const ids = await Promise.all(Array.from({ length: 8 }, () => start("sleep 300")));
  await process({ action: "poll", sessionId: ids[0] });
  expect(list).toHaveBeenCalledTimes(1);
  const { details } = await process({ action: "list" });
  expect(details).toMatchObject({ sessions: expect.objectContaining({ length: 8 }) });
});

test("queries commands that have run for long, because they may have ended", async () => {
  const { workspace } = bench();
  const book = new SessionBook(workspace, "main");
  const session = await book.start({ script: "true" }, options);
  await workspace.processes!.wait(session.info.id);
  await book.prune();
  expect((await book.list()).length).toBe(1);
  const again = await book.start(spec, options);
  book.endedRetentionMs = -1;
  await book.prune();
  expect((await book.list()).map(({ id }) => id)).toEqual([again.id]);
});

test("keeps a command that starts during a query", async () => {
  const { workspace } = bench();
  const real = workspace.processes!;
  const { promise: isStarted, resolve: started } = Promise.withResolvers<void>();
  let isHeld = false;
  // The answer was made before the start, and arrives after it.
  const list = async (): Promise<ProcessInfo[]> => {
    const all = await real.list();
    if (isHeld) await isStarted;
    return all;
  };
  const held = new Proxy<Processes>(real, {
    get: (target, name) =>
      name === "list" ? list : (target[name as keyof Processes] as () => unknown).bind(target),
  });
  const book = new SessionBook({ ...workspace, processes: held }, "main");
  const first = await book.start(spec, options);
  isHeld = true;
  const listed = book.list();
  const second = await book.start(spec, options);
  started();
  await listed;
  expect(await book.get(first.id)).toBe(first);
  expect(await book.get(second.id)).toBe(second);
});

test("does not find a command that the workspace has removed", async () => {
  const { workspace, start, finish, process } = bench();
  const sessionId = await start("echo hi");
  await finish(sessionId);
  const [info] = await workspace.processes!.list();
  await workspace.processes!.release(info!.id);
  for (const action of ["log", "poll", "remove"])
    expect((await failure(process({ action, sessionId }))).code).toBe("PROCESS_NOT_FOUND");
});

test("does not reuse a name before the workspace has released its command", async () => {
  const { workspace } = bench();
  vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const book = new SessionBook(workspace, "main");
  const first = await book.start({ script: "exit 1" }, { ...options, waitMs: 10_000 });
  book.forgetSoon(first);
  const second = await book.start({ script: "exit 2" }, { ...options, waitMs: 10_000 });
  expect(second.id).not.toBe(first.id);
  await workspace.processes!.wait(second.info.id);
  expect((await book.get(second.id))?.info.exitCode).toBe(2);
  await vi.waitFor(async () => expect(await workspace.processes!.list()).toHaveLength(1));
  expect((await book.start(spec, options)).id).toBe(first.id);
});
