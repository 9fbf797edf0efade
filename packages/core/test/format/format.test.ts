import { fc, test } from "@fast-check/vitest";
import { visibleText } from "@haft/utils";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { scaleRuns } from "../../../../test/support/share.ts";
import { type ContentBlock, text } from "../../src/contract/result.ts";
import { formatToolResult } from "../../src/format/index.ts";
import { summarizeCall } from "../../src/format/summary.ts";

const ESC = "\u001b";
const markdown = (...content: ContentBlock[]): string => formatToolResult({ content }, "markdown");
const plain = (...content: ContentBlock[]): string => formatToolResult({ content }, "plain");

describe("empty content", () => {
  it.each<[ContentBlock[]]>([[[]], [[text("")]], [[text(" \n\t")]], [[text(`${ESC}[0m`)]]])(
    "becomes (no output): %j",
    (content) => {
      expect(markdown(...content)).toBe("(no output)");
      expect(plain(...content)).toBe("(no output)");
    },
  );
});

describe("markdown", () => {
  it.each([
    "Updated src/a.ts: 2 edits, 5 lines changed.",
    "File not found: a.ts.\nDid you mean b.ts?",
    "Use `read` with offset=401.",
    "[The file is empty.]",
  ])("keeps prose: %s", (prose) => {
    expect(markdown(text(prose))).toBe(prose);
  });

  it.each([
    "# not a heading",
    "- not a list",
    "1. not a list",
    "> not a quote",
    "| not | a table |",
    "Title\n=====",
    "above\n---\nbelow",
    "    indented",
    "a\n  b",
    "total  12",
    "a\tb",
    "<script>alert(1)</script>",
    "![pixel](https://example.com/?secret)",
    "[click](https://example.com)",
    "[a]: https://example.com",
    "a &lt; b",
    "C:\\new",
    "```\nopen fence",
    "~~~",
    "x".repeat(2001),
  ])("fences text that Markdown would damage or activate: %s", (raw) => {
    expect(markdown(text(raw))).toMatch(/^(`{3,})\n[^]*\n\1$/);
  });

  it("fences text with a language, and diffs as diffs", () => {
    expect(markdown(text("const a = 1;", "ts"))).toBe("```ts\nconst a = 1;\n```");
    expect(markdown(text("a", "ts\n```\n# out"))).toBe("```\na\n```");
    for (const diff of [
      "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n",
      "@@ -1 +1 @@\n-a\n+b\n",
      "diff --git a/x b/x\n",
    ]) {
      expect(markdown(text(diff))).toBe(`\`\`\`diff\n${diff}\`\`\``);
    }
  });

  it("shows images by type and size", () => {
    const image = {
      type: "image" as const,
      data: Buffer.alloc(12_595).toString("base64"),
      mimeType: "image/png",
    };
    expect(markdown(text("Here it is."), image)).toBe("Here it is.\n\n[image/png, 12.3 KB]");
    expect(plain(text("Here it is."), image)).toBe("Here it is.\n\nImage (image/png, 12.3 KB)");
    expect(markdown({ ...image, data: "AAA=", mimeType: "x](y)" })).toBe("[image, 2 bytes]");
  });
});

describe("plain", () => {
  it("returns the text without terminal sequences", () => {
    expect(plain(text("# a\n*b*\n"))).toBe("# a\n*b*");
    expect(
      plain(
        text(
          `${ESC}[1;31mred${ESC}[0m ${ESC}]8;;https://x${ESC}\\link${ESC}]8;;\u0007 ${ESC}(B\u0000end\u009b2J`,
        ),
      ),
    ).toBe("red link end");
    expect(plain(text("10%\r20%\r\n30%"))).toBe("10%\n20%\n30%");
  });

  it("removes at most one line for an unfinished sequence", () => {
    expect(plain(text(`${ESC}]0;title\nnext`))).toBe("\nnext");
  });

  it("removes hundreds of thousands of unfinished sequences fast", () => {
    for (const unit of ["\u001b]", "\u001b[", "\u001bP", "\u009b;", "\u001b"]) {
      expect(plain(text(unit.repeat(200_000)))).toBe("(no output)");
    }
  });
});

/** The fenced blocks of a text by the rule of CommonMark, and whether the last one is closed. */
function fences(source: string): { blocks: string[]; open: boolean } {
  const blocks: string[] = [];
  let fence: { mark: string; lines: string[] } | undefined;
  for (const line of source.split(/\r\n|\n|\r/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence === undefined) {
      if (mark !== null && !(mark[1]!.startsWith("`") && mark[2]!.includes("`")))
        fence = { mark: mark[1]!, lines: [] };
    } else if (mark !== null && mark[1]!.startsWith(fence.mark) && /^[ \t]*$/.test(mark[2]!)) {
      blocks.push(fence.lines.join("\n"));
      fence = undefined;
    } else fence.lines.push(line);
  }
  return { blocks, open: fence !== undefined };
}

const piece = fc.constantFrom(
  "`",
  "```",
  "````",
  "~~~",
  "\n",
  "\r",
  " ",
  "    ",
  "a",
  "diff --git ",
  "@@ -1",
  ESC,
  "[1m",
  "]0;",
  "\u0007",
  "\u009b",
  "<b>",
  "# ",
);
const anyText = fc.oneof(
  fc.array(piece, { maxLength: 30 }).map((parts) => parts.join("")),
  fc.string({ unit: codePoint }),
);
const language = fc.oneof(fc.constantFrom("ts", "diff", "", "a`b", "a b", "a\nb"), fc.string());

test.prop([anyText, fc.option(language, { nil: undefined })], { numRuns: scaleRuns(2000, 4) })(
  "closes every fence around the whole text",
  (value, hint) => {
    const shown = markdown(text(value, hint), text("after"));
    const { blocks, open } = fences(shown);
    expect(open).toBe(false);
    expect(blocks.length).toBeLessThanOrEqual(1);
    expect(shown.endsWith("\n\nafter")).toBe(true);
    if (blocks.length === 1) expect(blocks[0]).toBe(visibleText(value).replace(/\n$/, ""));
  },
);

test.prop([anyText])("removes control characters in both formats", (value) => {
  // oxlint-disable-next-line no-control-regex
  const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
  expect(plain(text(value))).not.toMatch(control);
  expect(markdown(text(value))).not.toMatch(control);
});

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
])("summarizes %s %j", (name, args, line) => {
  expect(summarizeCall(name, args)).toBe(line);
});

it("adds no markup to plain text", () => {
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
  "summarizes a call in one line of at most 120 visible characters",
  (name, given, format) => {
    const line = summarizeCall(name, given, { format });
    expect(line.length).toBeLessThanOrEqual(120);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  },
);
