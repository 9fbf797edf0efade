import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { sampleRequest } from "../../../../core/test/support/approval-samples.ts";
import { describeRequest } from "../../../src/cli/approvals/describe-request.ts";

/** A terminal of so many columns, or a pipe. */
function stream(columns?: number) {
  return Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns });
}

const ours = /^(?:…| |$|a2b3c4d5)/;
const long = sampleRequest("a2b3c4d5", {
  preview: [{ type: "text", text: `echo ${"x".repeat(200)} [y]es, once\nsecond` }],
  reason: "exec needs approval in group sessions, because the policy of this machine says so in many words.",
  noProgramGrant: `it runs ${"y".repeat(200)}`,
});

describe("a request on a terminal", () => {
  test.each([25, 60, 80, 200])(
    "with %i columns contains no line that the terminal would break",
    (columns) => {
      const lines = describeRequest(long, stream(columns)).split("\n").slice(1);
      // oxlint-disable-next-line no-control-regex
      const plain = lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, ""));
      for (const line of plain) {
        expect(line.length).toBeLessThan(columns);
        expect(line).toMatch(ours);
      }
      const all = plain.map((line) => line.replace(/^(?:… | {2})/, "")).join("");
      expect(all).toContain(`echo ${"x".repeat(200)} [y]es, once`);
    },
  );
});

test("contains no colours and no broken lines in a pipe", () => {
  const shown = describeRequest(long, stream());
  expect(shown).not.toContain("\u001b");
  expect(shown).toContain(`  echo ${"x".repeat(200)} [y]es, once\n  second\n`);
  expect(shown).toContain(`  ${long.reason}\n`);
});

test("mentions masked secrets", () => {
  const covered = sampleRequest("a2b3c4d5", { preview: [{ type: "text", text: "mysql -p[secret] app" }] });
  expect(describeRequest(covered, stream())).toContain("[secret] replaces a possible secret");
  expect(describeRequest(long, stream())).not.toContain("[secret]");
});
