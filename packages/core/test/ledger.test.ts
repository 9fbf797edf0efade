import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { HaftError } from "../src/errors.ts";
import { createMemoryStore, Ledger, type LedgerStore, type ToolMeta, type ToolStatus } from "../src/ledger.ts";
import { text } from "../src/result.ts";
import { sleep } from "./support/kernel.ts";

const LEGAL = new Set(["pending>executing", "pending>failed", "executing>completed", "executing>failed"]);
const result = (length: number) => ({ content: [text("x".repeat(length))], details: {} });

describe("transitions", () => {
  test("an entry goes from pending over executing to its end, and each step is timed", () => {
    const ledger = new Ledger("s");
    const entry = ledger.append("1", "read", { path: "a" });
    expect(entry).toMatchObject({ toolCallId: "1", toolName: "read", args: { path: "a" }, status: "pending" });
    ledger.transition(entry, "executing");
    expect(entry.startedAt).toBeGreaterThanOrEqual(entry.createdAt);
    ledger.transition(entry, "completed", { outcome: "ok" });
    expect(entry.endedAt).toBeGreaterThanOrEqual(entry.startedAt!);
    expect(ledger.get("1")).toBe(entry);
    expect(ledger.entries).toEqual([entry]);
  });

  test("an id is taken once", () => {
    const ledger = new Ledger("s");
    ledger.append("1", "read", {});
    expect(() => ledger.append("1", "write", {})).toThrow(/in the ledger already/);
    expect(ledger.entries).toHaveLength(1);
  });

  const statuses: ToolStatus[] = ["pending", "executing", "completed", "failed"];
  const step = fc.oneof(
    fc.record({ append: fc.constantFrom("a", "b", "c", "d") }),
    fc.record({ move: fc.constantFrom("a", "b", "c", "d"), to: fc.constantFrom(...statuses) }),
  );

  test.prop([fc.array(step, { maxLength: 60 })])(
    "no sequence of operations makes an illegal step, in memory or in the store",
    (steps) => {
      const seen: string[] = [];
      const told = new Map<string, ToolStatus>();
      const store: LedgerStore = {
        load: () => [],
        append: (_key, { toolCallId, status }) => void told.set(toolCallId, status),
        transition: (_key, { toolCallId, status }) => {
          seen.push(`${told.get(toolCallId)}>${status}`);
          told.set(toolCallId, status);
        },
      };
      const ledger = new Ledger("s", store);
      for (const operation of steps) {
        const id = "append" in operation ? operation.append : operation.move;
        const before = ledger.get(id)?.status;
        try {
          if ("append" in operation) ledger.append(id, "t", {});
          else if (before !== undefined) ledger.transition(ledger.get(id)!, operation.to);
        } catch (thrown) {
          expect(HaftError.is(thrown) && thrown.code).toBe("ILLEGAL_TRANSITION");
          expect(ledger.get(id)?.status).toBe(before);
        }
        expect(ledger.get(id)?.status).toBe(told.get(id));
      }
      for (const move of seen) expect(LEGAL).toContain(move);
      expect(ledger.entries.map(({ toolCallId }) => toolCallId)).toEqual([...told.keys()]);
    },
  );
});

describe("the store", () => {
  test("is told every change in order, with the entry as it then is", () => {
    const told: string[] = [];
    const note = (what: string) => (key: string, entry: Readonly<ToolMeta>) =>
      void told.push(`${what} ${key} ${entry.toolCallId} ${entry.status} ${entry.code ?? ""}`.trim());
    const ledger = new Ledger("s", { load: () => [], append: note("append"), transition: note("transition") });
    const entry = ledger.append("1", "read", {});
    ledger.transition(entry, "executing");
    ledger.transition(entry, "failed", { code: "TOOL_FAILED" });
    expect(told).toEqual([
      "append s 1 pending",
      "transition s 1 executing",
      "transition s 1 failed TOOL_FAILED",
    ]);
  });

  test("what was interrupted has failed, with unknown effects if it ran; the store learns of it", () => {
    const store = createMemoryStore();
    const before = new Ledger("s", store);
    before.append("waiting", "read", {});
    before.transition(before.append("running", "write", {}), "executing");
    const done = before.append("done", "read", {});
    before.transition(done, "executing");
    before.transition(done, "completed", { outcome: "ok", receipt: "none" });

    const after = new Ledger("s", store, store.load("s") as ToolMeta[]);
    const expected = [
      { toolCallId: "waiting", status: "failed", outcome: "error", code: "INTERRUPTED", receipt: "none" },
      { toolCallId: "running", status: "failed", outcome: "error", code: "INTERRUPTED", receipt: "unknown" },
      { toolCallId: "done", status: "completed", outcome: "ok" },
    ];
    expect(after.entries).toMatchObject(expected);
    expect(store.load("s")).toMatchObject(expected);
    expect(() => after.append("running", "write", {})).toThrow(/already/);
  });

  test("keeps sessions apart, and its own copies", () => {
    const store = createMemoryStore();
    const entry = new Ledger("a", store).append("1", "read", {});
    entry.status = "failed";
    expect(store.load("a")).toMatchObject([{ toolCallId: "1", status: "pending" }]);
    expect(store.load("b")).toEqual([]);
  });

  test("one that fails, now or later, is reported and does not stop the call", async () => {
    const reported: unknown[] = [];
    const store: LedgerStore = {
      load: () => [],
      append: () => {
        throw new Error("disk full");
      },
      transition: () => Promise.reject(new Error("connection lost")),
    };
    const ledger = new Ledger("s", store, [], (thrown) => reported.push(thrown));
    const entry = ledger.append("1", "read", {});
    ledger.transition(entry, "executing");
    await sleep(1);
    expect(entry.status).toBe("executing");
    expect(reported).toMatchObject([{ message: "disk full" }, { message: "connection lost" }]);
  });
});

describe("memory", () => {
  const MILLION = 1_000_000;

  test("the oldest results are elided beyond 16 million characters; entries stay", () => {
    const ledger = new Ledger("s");
    for (let i = 0; i < 20; i++) finish(ledger, `${i}`, MILLION);
    const elided = ledger.entries.map(({ result: kept }) => kept !== undefined && "elided" in kept);
    expect(elided).toEqual([...Array(4).fill(true), ...Array(16).fill(false)]);
    expect(ledger.entries.every(({ status }) => status === "completed")).toBe(true);
  });

  test("results of the past count too", () => {
    const past = new Ledger("s");
    for (let i = 0; i < 16; i++) finish(past, `${i}`, MILLION);
    const ledger = new Ledger("s", undefined, past.entries);
    for (let i = 16; i < 20; i++) finish(ledger, `${i}`, MILLION);
    expect(keptCharacters(ledger)).toBe(16 * MILLION);
  });

  test("a call that never ends does not keep the results after it", () => {
    const ledger = new Ledger("s");
    ledger.append("stuck", "read", {});
    for (let i = 0; i < 20; i++) finish(ledger, `${i}`, MILLION);
    expect(keptCharacters(ledger)).toBe(16 * MILLION);
  });

  function finish(ledger: Ledger, id: string, length: number): void {
    const entry = ledger.append(id, "read", {});
    ledger.transition(entry, "executing");
    ledger.transition(entry, "completed", { result: result(length) });
  }

  function keptCharacters(ledger: Ledger): number {
    let sum = 0;
    for (const { result: kept } of ledger.entries) {
      if (kept && "content" in kept) for (const block of kept.content) if (block.type === "text") sum += block.text.length;
    }
    return sum;
  }
});
