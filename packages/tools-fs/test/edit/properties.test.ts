import { fc, test } from "@fast-check/vitest";
import { HaftError } from "@haft/core";
import { describe, expect } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { applySplices } from "../../src/changes/text/splice.ts";
import type { EditRequest } from "../../src/edit/edit-request.ts";
import { findExact } from "../../src/edit/find-exact.ts";
import { planEdits } from "../../src/edit/plan-edits.ts";

const piece = fc.constantFrom("a", "b", "ab", " ", "\n", "\r\n", "\r", "é", "“", '"', "  x");
const text = fc.array(piece, { maxLength: 40 }).map((parts) => parts.join(""));
const word = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
const request = fc.record({
  oldText: word,
  newText: fc.oneof(word, fc.constant("")),
  replaceAll: fc.boolean(),
});

const complete = (edit: { oldText: string; newText: string; replaceAll: boolean }): EditRequest => ({
  ...edit,
  expectedCount: undefined,
});

function plan(content: string, edits: readonly EditRequest[]) {
  try {
    return planEdits("f", Buffer.from(content), edits);
  } catch (error) {
    if (HaftError.is(error)) return error.code;
    throw error;
  }
}

describe("edits", () => {
  test.prop([text, fc.array(request, { minLength: 1, maxLength: 4 })], { numRuns: scaleRuns(3000, 4) })(
    "have the same result or fail in any order",
    (content, requests) => {
      const edits = requests.map(complete);
      const one = plan(content, edits);
      const other = plan(content, edits.toReversed());
      if (typeof one === "string" || typeof other === "string") {
        expect(typeof other).toBe(typeof one);
        return;
      }
      const bytes = Buffer.from(content);
      expect(applySplices(bytes, other.splices)).toEqual(applySplices(bytes, one.splices));
    },
  );

  test.prop([text, request], { numRuns: scaleRuns(3000, 4) })(
    "change only reported locations",
    (content, asked) => {
      const result = plan(content, [complete(asked)]);
      if (typeof result === "string") return;
      const bytes = Buffer.from(content);
      const after = applySplices(bytes, result.splices);
      let shift = 0;
      let from = 0;
      for (const { start, end, bytes: added } of result.splices) {
        expect(after.subarray(from + shift, start + shift)).toEqual(bytes.subarray(from, start));
        shift += added.length - (end - start);
        from = end;
      }
      expect(after.subarray(from + shift)).toEqual(bytes.subarray(from));
    },
  );

  test.prop([
    fc.array(fc.constantFrom("a", "b", "c", "\n"), { maxLength: 60 }),
    fc.array(fc.constantFrom("a", "b", "\n"), { minLength: 1, maxLength: 3 }),
  ])("are found exactly like in a naive search", (parts, wanted) => {
    const content = parts.join("");
    const needle = wanted.join("");
    const starts: number[] = [];
    for (let at = content.indexOf(needle); at >= 0; at = content.indexOf(needle, at + 1)) starts.push(at);
    expect(findExact(Buffer.from(content), 0, needle, 1000).map(({ start }) => start)).toEqual(starts);
  });

  test.prop([
    fc.array(fc.constantFrom("a", "b", "\n"), { maxLength: 60 }),
    fc.array(fc.constantFrom("a", "\n"), { minLength: 1, maxLength: 4 }),
  ])("are found equally often with any line endings", (parts, wanted) => {
    const needle = wanted.join("");
    const unix = findExact(Buffer.from(parts.join("")), 0, needle, 1000).length;
    for (const ending of ["\r\n", "\r"]) {
      const content = Buffer.from(parts.join("").replaceAll("\n", ending));
      expect(findExact(content, 0, needle, 1000)).toHaveLength(unix);
    }
  });
});
