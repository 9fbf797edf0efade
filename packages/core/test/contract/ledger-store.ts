import { describe, expect, test } from "vitest";
import type { PastStore, ToolMeta } from "../../src/contract/ledger-port.ts";

function anEntry(toolCallId: string, about: Partial<ToolMeta> = {}): ToolMeta {
  return {
    toolCallId,
    toolName: "read",
    args: { path: "a.txt" },
    status: "pending",
    createdAt: 1,
    ...about,
  };
}

/**
 * What every store of ledgers does, whatever it keeps them in.
 *
 * @param open an empty store
 */
export function ledgerStoreContract(name: string, open: () => PastStore | Promise<PastStore>): void {
  describe(`${name}: ledgers`, () => {
    test.each(["", "unknown", "__proto__", "../x"])("there is nothing under the key %j", async (key) => {
      expect(await (await open()).load(key)).toEqual([]);
    });

    test("what is kept comes back in its order, each as it was last", async () => {
      const store = await open();
      for (const id of ["one", "two", "three"]) await store.append("s", anEntry(id));
      await store.transition("s", anEntry("two", { status: "executing" }));
      await store.transition("s", anEntry("two", { status: "completed" }));
      const entries = await store.load("s");
      expect(entries.map(({ toolCallId, status }) => [toolCallId, status])).toEqual([
        ["one", "pending"],
        ["two", "completed"],
        ["three", "pending"],
      ]);
    });

    test("conversations have nothing in common", async () => {
      const store = await open();
      await store.append("s", anEntry("one"));
      await store.append("t", anEntry("one", { toolName: "write" }));
      await store.transition("t", anEntry("one", { toolName: "write", status: "failed" }));
      expect(await store.load("s")).toMatchObject([{ toolName: "read", status: "pending" }]);
      expect(await store.load("t")).toMatchObject([{ toolName: "write", status: "failed" }]);
    });

    test("what is changed afterwards is not changed in the store", async () => {
      const store = await open();
      await store.append("s", anEntry("one"));
      const [loaded] = await store.load("s");
      loaded!.status = "failed";
      expect(await store.load("s")).toMatchObject([{ status: "pending" }]);
    });
  });
}
