import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { HaftError } from "../../src/contract/errors.ts";
import { text, type ToolOutcome } from "../../src/contract/result.ts";
import { CallHistory } from "../../src/kernel/call-history.ts";

const LEGAL = new Set(["pending>executing", "pending>failed", "executing>completed", "executing>failed"]);

function ended(kind: "ok" | "error", length = 1): ToolOutcome {
  const base = {
    toolCallId: "",
    toolName: "t",
    content: [text("x".repeat(length))],
    details: {},
    durationMs: 1,
  };
  return kind === "ok"
    ? { ...base, kind, receipt: "committed" }
    : { ...base, kind, code: "TOOL_FAILED", category: "operational", receipt: "none" };
}

describe("transitions", () => {
  test("lead from pending over executing to an end, with times", () => {
    const ledger = new CallHistory();
    const entry = ledger.append("1", "read", { path: "a" }, 1);
    expect(entry).toMatchObject({
      toolCallId: "1",
      toolName: "read",
      args: { path: "a" },
      status: "pending",
    });
    ledger.begin(entry);
    expect(entry.startedAt).toBeGreaterThanOrEqual(entry.createdAt);
    ledger.end(entry, ended("ok"), "decision-1");
    expect(entry.endedAt).toBeGreaterThanOrEqual(entry.startedAt!);
    expect(entry).toMatchObject({
      status: "completed",
      outcome: "ok",
      receipt: "committed",
      decisionId: "decision-1",
    });
    expect(ledger.get("1")).toBe(entry);
    expect(ledger.entries).toEqual([entry]);
  });

  test("reject an id that is used", () => {
    const ledger = new CallHistory();
    ledger.append("1", "read", {}, 0);
    expect(() => ledger.append("1", "write", {}, 0)).toThrow(/already in the ledger/);
    expect(ledger.entries).toHaveLength(1);
  });

  const step = fc.oneof(
    fc.record({ append: fc.constantFrom("a", "b", "c", "d") }),
    fc.record({ move: fc.constantFrom("a", "b", "c", "d"), to: fc.constantFrom("begin", "ok", "error") }),
  );

  property.prop([fc.array(step, { maxLength: 60 })])(
    "no sequence of operations makes an illegal step",
    (steps) => {
      const seen: string[] = [];
      const ledger = new CallHistory();
      for (const operation of steps) {
        const id = "append" in operation ? operation.append : operation.move;
        const before = ledger.get(id)?.status;
        try {
          if ("append" in operation) ledger.append(id, "t", {}, 0);
          else if (before !== undefined && operation.to === "begin") ledger.begin(ledger.get(id)!);
          else if (before !== undefined) ledger.end(ledger.get(id)!, ended(operation.to as "ok"), undefined);
        } catch (thrown) {
          expect(HaftError.is(thrown) && thrown.code).toBe("INTERNAL");
          expect(ledger.get(id)?.status).toBe(before);
        }
        const after = ledger.get(id)?.status;
        if (before !== after && before !== undefined) seen.push(`${before}>${after}`);
      }
      for (const move of seen) expect(LEGAL).toContain(move);
      const ids = ledger.entries.map(({ toolCallId }) => toolCallId);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );
});

describe("memory", () => {
  const MILLION = 1_000_000;

  test("elides the oldest results beyond 16 million characters and keeps entries", () => {
    const ledger = new CallHistory();
    for (let i = 0; i < 20; i++) finish(ledger, `${i}`, MILLION);
    const elided = ledger.entries.map(({ result: stored }) => stored !== undefined && "elided" in stored);
    expect(elided).toEqual([...Array(4).fill(true), ...Array(16).fill(false)]);
    expect(ledger.entries.every(({ status }) => status === "completed")).toBe(true);
  });

  test("includes arguments, which are elided with the result", () => {
    const ledger = new CallHistory();
    for (let i = 0; i < 20; i++) finish(ledger, `${i}`, 0, MILLION);
    expect(ledger.entries[0]!.args).toEqual({ elided: true });
    expect(ledger.entries.at(-1)!.args).toEqual({ content: MILLION });
  });

  test("elides later results even if a call never ends", () => {
    const ledger = new CallHistory();
    ledger.append("stuck", "read", {}, 0);
    for (let i = 0; i < 20; i++) finish(ledger, `${i}`, MILLION);
    expect(storedCharacters(ledger)).toBe(16 * MILLION);
  });

  function finish(ledger: CallHistory, id: string, length: number, weight = 0): void {
    const entry = ledger.append(id, "read", { content: weight }, weight);
    ledger.begin(entry);
    ledger.end(entry, ended("ok", length), undefined);
  }

  function storedCharacters(ledger: CallHistory): number {
    let sum = 0;
    for (const { result: stored } of ledger.entries) {
      if (stored && "content" in stored)
        for (const block of stored.content) if (block.type === "text") sum += block.text.length;
    }
    return sum;
  }
});
