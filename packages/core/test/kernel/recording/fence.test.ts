import { expect, test } from "vitest";
import { HaftError } from "../../../src/contract/errors.ts";
import type { FileSystem, Workspace } from "../../../src/contract/ports.ts";
import { ledgerUnavailableError, ledgerStoreError } from "../../../src/kernel/recording/ledger-errors.ts";
import {
  answer,
  getCode,
  createGate,
  makeTool,
  openSession,
  stubWorkspace,
  createThrower,
} from "../../support/kernel.ts";
import { createCountingTool, openRecordedSession, send, testStore } from "../../support/ledger.ts";

/** A workspace that notes what is written, and asks the fence right before, as those of Haft do. */
function noting(written: string[]): Workspace {
  const write: FileSystem["write"] = async (path, _bytes, options) => {
    options?.fence?.check();
    written.push(path);
    return undefined as never;
  };
  return { ...stubWorkspace(), fs: { write } as FileSystem };
}

test("prevents effects of a call after its run was lost", async () => {
  const store = testStore();
  const written: string[] = [];
  const entered = createGate();
  const go = createGate();
  const slow = makeTool("slow", {
    effects: ["write"],
    execute: async (_id, _params, _signal, _update, { workspace }) => {
      await workspace.fs.write("before", new Uint8Array());
      entered.resolve();
      await go.promise;
      await workspace.fs.write("after", new Uint8Array());
      return answer("done");
    },
  });
  const session = await openSession({ tools: [slow], store, open: { workspace: noting(written) } });
  const running = session.call({ name: "slow" });
  await entered.promise;
  store.loseLeases();
  go.resolve();
  expect(getCode(await running)).toBe("SESSION_LEASE_LOST");
  expect(written).toEqual(["before"]);
  await session.close();
});

test("fences tools that were made before the run was opened", async () => {
  const store = testStore();
  const written: string[] = [];
  const session = await openSession({
    plugins: [
      {
        id: "p",
        tools: [
          {
            names: ["late"],
            factory: ({ workspace }) =>
              makeTool("late", {
                effects: ["write"],
                execute: async () => {
                  store.loseLeases();
                  await workspace.fs.write("after", new Uint8Array());
                  return answer("done");
                },
              }),
          },
        ],
      },
    ],
    store,
    open: { workspace: noting(written) },
  });
  expect(getCode(await session.call({ name: "late" }))).toBe("SESSION_LEASE_LOST");
  expect(written).toEqual([]);
  await session.close();
});

test("closes a resumed run if the session cannot open", async () => {
  const store = testStore();
  const { tool } = createCountingTool();
  const before = await openRecordedSession(store, { tools: [tool] });
  await before.call(send("a", "x"));
  await before.close();
  const policy = {
    forSession: createThrower(new Error("no rules")),
  };
  await expect(openRecordedSession(store, { tools: [tool], policy }, true)).rejects.toThrow("no rules");
  const after = await openRecordedSession(store, { tools: [tool] }, true);
  expect(after.run).toMatchObject({ epoch: 3 });
  await after.close();
});

test("keeps the fix of an error of the store", () => {
  const fault = new HaftError("STORE_TOO_NEW", "A newer version wrote it.", {
    category: "operational",
    fix: "Update Haft.",
  });
  expect(ledgerStoreError(fault)).toMatchObject({
    code: "LEDGER_UNAVAILABLE",
    fix: "Update Haft.",
    cause: fault,
  });
});

test("has a default fix for other errors of the store", () => {
  const { fix } = ledgerUnavailableError("it is gone");
  expect(fix).toBeDefined();
  expect(ledgerStoreError(new Error("EIO"))).toMatchObject({ code: "LEDGER_UNAVAILABLE", fix });
});
