import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import type { ToolOutcome } from "../../../src/contract/result.ts";
import { answer, codeOf, echo, openSession, policyOf } from "../../support/kernel.ts";
import { testStore } from "../../support/ledger.ts";

const step = fc.oneof(
  fc.record({ call: fc.constantFrom("save", "look", "refused", "nothing", "fail"), alone: fc.boolean() }),
  fc.record({ writing: fc.constantFrom("throws", "rejects", undefined) }),
  fc.record({ isSlow: fc.boolean() }),
);

test.prop([fc.array(step, { maxLength: 40 }), fc.constantFrom("throws", "rejects", undefined)])(
  "whenever a store fails: nothing that changes things runs unrecorded, and in the end all is recorded once",
  async (steps, opening) => {
    const store = testStore();
    store.opening = opening;
    const unrecorded: string[] = [];
    const act = async (id: string) => {
      const [kept] = (await store.all()).filter(({ toolCallId }) => toolCallId === id);
      if (kept?.status !== "executing") unrecorded.push(id);
    };
    const save = echo("save", {
      effects: ["write"],
      execute: async (id) => {
        await act(id);
        return answer("saved");
      },
    });
    const fail = echo("fail", {
      effects: ["execute"],
      execute: async (id) => {
        await act(id);
        throw new Error("it broke");
      },
    });
    const session = await openSession({
      tools: [save, fail, echo("look", { effects: ["read"] }), echo("refused", { effects: ["write"] })],
      policy: policyOf({ call: ({ name }) => (name === "refused" ? "deny" : "allow") }),
      loopGuard: false,
      store,
    });
    const outcomes: Promise<ToolOutcome>[] = [];
    for (const [at, one] of steps.entries()) {
      if ("call" in one) {
        const made = session.call({ id: `c${at}`, name: one.call, arguments: { value: `${at}` } });
        outcomes.push(made);
        if (one.alone) await made;
      } else if ("isSlow" in one) store.isSlow = one.isSlow;
      else {
        store.writing = one.writing;
        store.opening = undefined;
      }
    }
    const ended = await Promise.all(outcomes);
    store.writing = store.opening = undefined;
    await session.close();
    expect(unrecorded).toEqual([]);
    const kept = await store.all();
    expect(kept.map(({ seq }) => seq)).toEqual(Array.from({ length: ended.length }, (_, i) => i + 1));
    const told = ended
      .map((outcome) => [outcome.toolCallId, codeOf(outcome), outcome.receipt])
      .toSorted(byId);
    const recorded = kept.map((call) => [call.toolCallId, call.code ?? "ok", call.receipt!]).toSorted(byId);
    expect(recorded).toEqual(told);
  },
);

function byId([a = ""]: string[], [b = ""]: string[]): number {
  return a < b ? -1 : 1;
}
