import { describe, expect, it } from "vitest";
import { createReadTool } from "../../src/read/read.ts";
import { failure, texts } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const tool = createReadTool();

describe("reading content that is not UTF-8", () => {
  it.each([
    ["UTF-32LE", Buffer.from([0xff, 0xfe, 0, 0, 0x68, 0, 0, 0])],
    ["UTF-32BE", Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x68])],
  ])("names the encoding %s", async (encoding, bytes) => {
    const { call } = withFiles({ "a.txt": bytes });
    const error = await failure(call(tool, { path: "a.txt" }));
    expect(error.code).toBe("UNSUPPORTED_ENCODING");
    expect(error.message).toContain(encoding);
    expect(error.fix).toContain(`iconv -f ${encoding} -t UTF-8`);
  });

  it.each([
    ["half a pair", "UTF-16LE", Buffer.from("\ufeffhalf: \ud83d", "utf16le"), "half: \ufffd"],
    ["half a pair", "UTF-16BE", Buffer.from("\ufeffhalf: \ud83d", "utf16le").swap16(), "half: \ufffd"],
    [
      "half a unit",
      "UTF-16LE",
      Buffer.concat([Buffer.from("\ufeffhalf", "utf16le"), Buffer.from("!")]),
      "half\ufffd",
    ],
  ])("shows %s of damaged %s as a mark", async (_, encoding, bytes, shown) => {
    const { call } = withFiles({ "a.txt": bytes });
    const [text, notice] = texts(await call(tool, { path: "a.txt" }));
    expect(text).toBe(shown);
    expect(notice).toContain(`Some characters are not valid ${encoding}`);
  });

  it("names the first line with a byte that is not UTF-8", async () => {
    const { call } = withFiles({ "a.txt": Buffer.from("plain\nna\xefve caf\xe9 \x81\n", "latin1") });
    const [text, notice] = texts(await call(tool, { path: "a.txt" }));
    expect(text).toBe("plain\nna\ufffdve caf\ufffd \ufffd\n");
    expect(notice).toContain("the first in line 2");
  });

  it.each([
    ["overlong slash", [0xc0, 0xaf]],
    ["half a surrogate pair", [0xed, 0xa0, 0x80]],
    ["beyond Unicode", [0xf4, 0x90, 0x80, 0x80]],
    ["a character cut off by the end of the file", [0xe2, 0x82]],
  ])("marks invalid UTF-8: %s", async (_, bytes) => {
    const { call } = withFiles({ "a.txt": Buffer.from([...Buffer.from("text "), ...bytes]) });
    const [text, notice] = texts(await call(tool, { path: "a.txt" }));
    expect(text).toMatch(/^text \ufffd+$/);
    expect(notice).toContain("the first in line 1");
  });

  it.each([
    ["ELF", Buffer.from("\x7fELF\x02\x01\x01\0\0\0\0\0", "latin1")],
    ["PDF document", Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1")],
    ["ZIP archive", Buffer.from("PK\x03\x04\x14\0\0\0", "latin1")],
    ["gzip", Buffer.from("\x1f\x8b\x08\0\0\0\0\0", "latin1")],
    ["SQLite", Buffer.from("SQLite format 3\0\x10\0", "latin1")],
    ["WebAssembly", Buffer.from("\0asm\x01\0\0\0", "latin1")],
    ["TIFF", Buffer.from("II*\0\x08\0\0\0", "latin1")],
    ["unknown format", Buffer.from([1, 0, 2, 0, 0, 3])],
    ["not UTF-8", Buffer.from(Array.from({ length: 250 }, (_, i) => 250 - i))],
  ])("names the type of binary files and shows no content: %s", async (name, bytes) => {
    const { call } = withFiles({ data: bytes });
    const error = await failure(call(tool, { path: "data" }));
    expect(error.code).toBe("BINARY_FILE");
    expect(error.message).toContain(name);
    expect(error.message).toMatch(/^data is [\x20-\x7e…]+$/);
  });

  it.each([
    "BM is how bitmaps begin, and this sentence",
    "MZ\n",
    "ID3 tags\n",
    "BZh?",
    "8BPS",
    "PK and others",
    "%PDF-1.7 is how a PDF begins.",
  ])("accepts text that begins like another type: %j", async (content) => {
    const { call } = withFiles({ "a.txt": content });
    expect(texts(await call(tool, { path: "a.txt" }))).toEqual([content]);
  });

  it("shows every page of a file with a damaged page", async () => {
    const { call } = withFiles({
      "a.log": Buffer.concat([Buffer.from("fine\n".repeat(10)), Buffer.from([0xc0, 0xaf, 10])]),
    });
    expect(texts(await call(tool, { path: "a.log", limit: 2 }))[0]).toBe("fine\nfine\n");
    expect(texts(await call(tool, { path: "a.log", offset: 11 }))).toEqual([
      "\ufffd\ufffd\n",
      expect.stringContaining("the first in line 11"),
    ]);
  });
});
