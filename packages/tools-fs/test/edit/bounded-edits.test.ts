import { describe, expect, it } from "vitest";
import { longestTurn } from "../../../../test/support/longest-turn.ts";
import { planEdits } from "../../src/edit/plan-edits.ts";
import { planEditsOffThread } from "../../src/edit/plan-off-thread.ts";

const edit = (oldText: string, newText: string, replaceAll = false) => ({
  oldText,
  newText,
  replaceAll,
  expectedCount: undefined,
});
const planning = (signal?: AbortSignal) => ({ wasMade: () => false, signal });

describe("edits of large files", () => {
  const content = Buffer.from(
    Array.from({ length: 100_000 }, (_, index) => `    value${index} = ${index}\n`).join(""),
  );

  it("give equal results on a worker thread", async () => {
    const edits = [
      edit("value123 = 123", "a\nb"),
      edit("    value7000 = 7000  \n    value7001 = 7001", "    c"),
      edit("= 99999", "= 5", true),
    ];
    expect(await planEditsOffThread("f", content, edits, planning())).toEqual(
      structuredClone(planEdits("f", content, edits)),
    );
  });

  it.each([
    ["a single line", edit("value99999 = 99999", "x")],
    ["several lines", edit("value70001 = 70001\n    value70002", "x\ny")],
    ["a mark before the first line", edit("\uFEFF    value70001", "x")],
  ])("find %s where a search from the start does", async (_, wanted) => {
    const planned = await planEditsOffThread("f", content, [wanted], planning());
    expect(structuredClone(planned)).toEqual(structuredClone(planEdits("f", content, [wanted])));
  });

  it("count a match before a quoted mark", async () => {
    const marked = Buffer.concat([content, Buffer.from("\uFEFF    value70001")]);
    await expect(
      planEditsOffThread("f", marked, [edit("\uFEFF    value70001", "x")], planning()),
    ).rejects.toMatchObject({ code: "EDIT_AMBIGUOUS" });
  });

  it("count matches after the first", async () => {
    await expect(
      planEditsOffThread("f", content, [edit("value9999", "x")], planning()),
    ).rejects.toMatchObject({ code: "EDIT_AMBIGUOUS", message: expect.stringContaining("11") });
  });

  it("are rejected with equal errors and details", async () => {
    const edits = [edit("valu123 = 12", "x")];
    const thrown = (work: () => unknown) =>
      Promise.resolve()
        .then(work)
        .then(
          () => undefined,
          (error: unknown) => error,
        );
    const here = await thrown(() => planEdits("f", content, edits));
    const apart = await thrown(() => planEditsOffThread("f", content, edits, planning()));
    expect(apart).toMatchObject({ ...(here as object), message: (here as Error).message });
    expect(apart).toMatchObject({ code: "EDIT_NOT_FOUND", details: { path: "f" } });
  });

  it("detect repeated edits on the worker thread", async () => {
    const edits = [edit("gone", "    value5 = 5\n")];
    const made = { wasMade: () => true, signal: undefined };
    expect((await planEditsOffThread("f", content, edits, made)).hunks[0]).toMatchObject({
      alreadyApplied: true,
    });
  });

  it("stop with the call and do not block other work", async () => {
    const repeated = Buffer.from("a".repeat(1_000_000));
    const stop = new AbortController();
    const longest = await longestTurn(async () => {
      const planned = planEditsOffThread(
        "f",
        repeated,
        [edit("a".repeat(300_000), "x")],
        planning(stop.signal),
      );
      setImmediate(() => stop.abort());
      await expect(planned).rejects.toMatchObject({ code: "ABORTED" });
    });
    expect(longest).toBeLessThan(8_000);
  });

  it("limit the amount of new text", () => {
    const many = Buffer.from("a\n".repeat(100_000));
    expect(() => planEdits("f", many, [edit("a", "y".repeat(1_000_000), true)])).toThrow(
      expect.objectContaining({ code: "EDIT_AMBIGUOUS" }),
    );
  });
});
