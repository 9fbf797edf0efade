import { fc, test } from "@fast-check/vitest";
import { expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { summarizeCall } from "../../src/format/summary.ts";

it.each<[string, unknown, string]>([
  ["read", undefined, "read"],
  ["read", "not an object", "read"],
  ["read", { path: "" }, "read (`path=`)"],
  ["a\nb", {}, "a\\nb"],
  ["exec", { command: "npm test\nrm -rf /" }, "exec `npm test\\nrm -rf /`"],
  ["exec", { command: "echo \u202egnp.exe \u200b\u3164" }, "exec `echo \\u{202e}gnp.exe \\u{200b}\\u{3164}`"],
  ["exec", { command: "echo `date`" }, "exec `` echo `date` ``"],
  ["exec", { command: "a``b" }, "exec ```a``b```"],
  ["read", { path: "src/a.ts" }, "read `src/a.ts`"],
  ["read", { path: "src/a.ts", offset: 10, limit: 31 }, "read `src/a.ts` (lines 10–40)"],
  ["read", { path: "src/a.ts", offset: 10 }, "read `src/a.ts` (from line 10)"],
  ["read", { path: "src/a.ts", limit: 1 }, "read `src/a.ts` (line 1)"],
  ["edit", { path: "a", edits: [{}, {}] }, "edit `a` (2 `edits`)"],
  ["write", { path: "a", content: "x".repeat(812) }, "write `a` (`content` of 812 characters)"],
  ["process", { action: "poll", sessionId: "calm-reef", waitMs: 5 }, "process poll `calm-reef` (`waitMs=5`)"],
])("%s %j", (name, args, line) => {
  expect(summarizeCall(name, args)).toBe(line);
});

it("plain has no markup", () => {
  expect(summarizeCall("read", { path: "src/a.ts", offset: 2, limit: 2 }, { format: "plain" })).toBe(
    "read src/a.ts (lines 2–3)",
  );
});

const value = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 300 }),
  fc.string({ unit: fc.constantFrom("`", "a", " ") }),
  fc.integer(),
  fc.anything(),
);
const args = fc.dictionary(
  fc.oneof(fc.constantFrom("path", "command", "action", "offset", "limit", "content"), fc.string()),
  value,
);
test.prop([fc.string({ unit: codePoint }), args, fc.constantFrom("markdown" as const, "plain" as const)])(
  "one line of at most 120 characters in which everything can be seen",
  (name, given, format) => {
    const line = summarizeCall(name, given, { format });
    expect(line.length).toBeLessThanOrEqual(120);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  },
);
