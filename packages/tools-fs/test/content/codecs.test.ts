import { fc, test } from "@fast-check/vitest";
import { sha256 } from "@haft/utils";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { applyPatchWith } from "../../src/apply-patch/apply-patch-text.ts";
import { createChangeEngine } from "../../src/changes/change-engine.ts";
import { decode, decodeFile, encode } from "../../src/content/codecs.ts";
import type { GrepToolDetails } from "../../src/grep/grep-types.ts";
import type { ReadTextDetails } from "../../src/read/read-result.ts";
import { read, write, edit, patch, grep } from "../support/every-tool.ts";
import { createMemoryJournal } from "../support/memory-journal.ts";
import { failure, texts } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const TEXT = "first: naïve\r\nsecond: “café” for 5 €\r\nthird\r\n";
const utf16 = Buffer.from(`\ufeff${TEXT}`, "utf16le");
const FORMS = {
  "utf-16le": utf16,
  "utf-16be": Buffer.from(utf16).swap16(),
  "windows-1252": Buffer.from(
    TEXT.replaceAll("“", "\x93").replaceAll("”", "\x94").replaceAll("€", "\x80"),
    "latin1",
  ),
} as const;
const forms = Object.entries(FORMS);

describe.each(forms)("a file in %s", (encoding, bytes) => {
  const open = () => withFiles({ "a.txt": bytes });
  const written = (folder: string): string => {
    const now = decodeFile(readFileSync(join(folder, "a.txt")));
    expect(now?.encoding).toBe(encoding);
    return String(now?.text).replace(/^\ufeff/, "");
  };

  it("is read correctly, with the hash of its bytes", async () => {
    const { call } = open();
    const result = await call<ReadTextDetails>(read, { path: "a.txt" });
    expect(texts(result)[0]).toBe(TEXT.replaceAll("\r\n", "\n"));
    expect(result.details).toMatchObject({ encoding, size: bytes.length, lines: 3, hash: sha256(bytes) });
    expect(result.details.encodingGuessed).toBe(encoding === "windows-1252" ? true : undefined);
    expect(texts(result).join("")).toMatch(
      encoding === "windows-1252" ? /Windows-1252, which is a guess/ : /third\n$/,
    );
    expect(texts(await call(read, { path: "a.txt", offset: 2, limit: 1 }))[0]).toBe(
      "second: “café” for 5 €\n",
    );
  });

  it("is searched", async () => {
    const result = await open().call<GrepToolDetails>(grep, { pattern: "^second.*é.*€$" });
    expect(result.details.matches).toEqual([{ path: "a.txt", line: 2, text: "second: “café” for 5 €" }]);
    expect(texts(result).join("").includes("guess")).toBe(encoding === "windows-1252");
  });

  it("is edited without changing other bytes", async () => {
    const { call, folder } = open();
    const result = await call<{ diff?: string; hash: string }>(edit, {
      path: "a.txt",
      oldText: "“café”",
      newText: "‘thé’",
      ifMatch: sha256(bytes),
    });
    expect(written(folder)).toBe(TEXT.replace("“café”", "‘thé’"));
    expect(result.details.diff).toContain("+second: ‘thé’ for 5 €");
    expect(result.details.hash).toBe(sha256(readFileSync(join(folder, "a.txt"))));
    expect(texts(result).join("").includes("guess")).toBe(encoding === "windows-1252");
  });

  it("is patched and moved", async () => {
    const { call, folder } = open();
    const input = [
      "*** Begin Patch",
      "*** Update File: a.txt",
      "*** Move to: sub/b.txt",
      "@@",
      " first: naïve",
      "+zweitens: ü",
      "*** End Patch",
    ].join("\n");
    await call(patch, { input });
    const moved = decodeFile(readFileSync(join(folder, "sub/b.txt")));
    expect(moved?.encoding).toBe(encoding);
    expect(String(moved?.text).replace(/^\ufeff/, "")).toBe(
      TEXT.replace("naïve\r\n", "naïve\r\nzweitens: ü\r\n"),
    );
  });
});

it("keeps the encoding of the file on write, and reports text that it cannot represent", async () => {
  const { call, folder } = withFiles({ "a.txt": utf16, "b.txt": FORMS["windows-1252"] });
  const result = await call<{ kept?: string[]; diff?: string }>(write, {
    path: "a.txt",
    content: "neu: ж\n",
  });
  expect(readFileSync(join(folder, "a.txt"))).toEqual(Buffer.from("\ufeffneu: ж\r\n", "utf16le"));
  expect(result.details.kept).toEqual(["crlf", "bom", "utf-16le"]);
  expect(result.details.diff).toContain("neu: ж");
  expect(texts(result)[0]).toContain("byte order mark and UTF-16LE");
  const guessed = await call(write, { path: "b.txt", content: "é\n" });
  expect(readFileSync(join(folder, "b.txt"), "latin1")).toBe("é\r\n");
  expect(texts(guessed)[0]).toContain("The file kept its CRLF line endings and Windows-1252.");
  const converted = await call(write, { path: "b.txt", content: "ж\n" });
  expect(readFileSync(join(folder, "b.txt"), "utf8")).toBe("ж\r\n");
  expect(texts(converted)[0]).toContain("The old file was in Windows-1252; the new file is UTF-8.");
});

it("undoes an edit of such a file exactly", async () => {
  const { folder, workspace } = withFiles({ "a.txt": utf16 });
  const engine = createChangeEngine({ fs: workspace.fs, root: folder, journal: createMemoryJournal() });
  const { report } = await applyPatchWith(
    engine,
    "*** Begin Patch\n*** Update File: a.txt\n@@\n-third\n+dritte ж\n*** End Patch",
  );
  expect(decodeFile(readFileSync(join(folder, "a.txt")))?.text.toString()).toContain("dritte ж");
  await engine.undo(report.transactionId!);
  expect(readFileSync(join(folder, "a.txt"))).toEqual(utf16);
});

it("names a character that the encoding lacks and changes nothing", async () => {
  const { call, folder } = withFiles({ "a.txt": FORMS["windows-1252"] });
  const error = await failure(call(edit, { path: "a.txt", oldText: "third", newText: "три" }));
  expect(error).toMatchObject({ code: "INVALID_TEXT", receipt: "none", details: { character: "т" } });
  expect(error.message).toContain("U+0442");
  expect(readFileSync(join(folder, "a.txt"))).toEqual(FORMS["windows-1252"]);
});

it("reads text without a mark as UTF-16 and reports it", async () => {
  for (const bytes of [utf16.subarray(2), Buffer.from(utf16.subarray(2)).swap16()]) {
    const { call } = withFiles({ "a.txt": bytes });
    expect(texts(await call(read, { path: "a.txt" })).join("")).toMatch(/UTF-16[LB]E, which is a guess/);
  }
});

it.each([
  ["damaged UTF-8", Buffer.concat([Buffer.from("naïve café"), Buffer.from([0xe9])])],
  ["Shift-JIS", Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x81, 0x42, 0x0a])],
  ["half a unit", Buffer.concat([utf16, Buffer.from("x")])],
])("does not guess an encoding for %s", (_, bytes) => {
  expect(decodeFile(bytes)).toBeUndefined();
});

it("searches a large single-byte file in pieces", async () => {
  const line = Buffer.from("caf\xe9 and more of it\n", "latin1");
  const { call } = withFiles({
    "a.log": Buffer.concat([...Array(100_000).fill(line), Buffer.from("last caf\xe9\n", "latin1")]),
  });
  const { details } = await call<GrepToolDetails>(grep, { pattern: "last café", context: 1 });
  expect(details.matches.map(({ line: number }) => number)).toEqual([100_001]);
  expect(details.skipped.notUtf8).toBe(0);
});

test.prop([fc.uint8Array({ maxLength: 64 }), fc.constantFrom("utf-16le", "utf-16be", "windows-1252")], {
  numRuns: scaleRuns(2000, 10),
})("decodes only files that can be encoded to the same bytes", (array, encoding) => {
  const bytes = Buffer.from(array);
  const text = decode(bytes, encoding);
  if (text !== undefined) expect(encode(text, encoding)).toEqual({ bytes });
});
