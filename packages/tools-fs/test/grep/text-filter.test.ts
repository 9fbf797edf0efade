import { fc } from "@fast-check/vitest";
import { linkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import type { GrepToolDetails } from "../../src/grep/grep-types.ts";
import { createGrepTool } from "../../src/grep/grep.ts";
import { temporaryFolder } from "../support/tool-context.ts";
import { withFiles } from "../support/tree.ts";

const grep = createGrepTool();

/** More files than the first page has: words, both line ends, marks, binary and other encodings. */
function corpus(): Record<string, string | Buffer> {
  const plain = ["alpha", "Beta", "naïve", "x.y", "a-b", "12 3", "aaa", "漢字", ""];
  const words = [...plain, "k\u212a", "a\rb", "\u00a0_", "\ufeff"];
  const files: Record<string, string | Buffer> = {};
  for (let i = 0; i < 520; i += 1) {
    const lines = Array.from(
      { length: i % 7 },
      (_, j) => `${words[(i * 5 + j) % 13]} ${words[(i + j * 3) % 13]}`,
    );
    const text = `${i % 11 === 0 ? "\ufeff" : ""}${lines.join(i % 3 === 0 ? "\r\n" : "\n")}${i % 2 === 0 ? "\n" : ""}`;
    const bytes =
      i % 17 === 0
        ? Buffer.from(text, "utf16le")
        : i % 19 === 0
          ? Buffer.from(`${text}\xe9`, "latin1")
          : i % 13 === 0
            ? Buffer.concat([Buffer.from(text), Buffer.from([0xc0, 0xaf])])
            : text;
    files[`${i % 10}/-file ${i}`] = i % 23 === 0 ? Buffer.from(`${text}\0`) : bytes;
  }
  return files;
}

const atom = fc.oneof(
  fc.constantFrom(...Array.from("abkBx1 _.-ï漢\u212a")),
  fc.constantFrom("alpha", "Beta", "^", "$", "\\d", "\\w", "\\s", "\\t", "\\.", "\\-"),
  fc.constantFrom("[a-c]", "[^a]", "[\\d-]", "[\\w.]", "[^\\d]", "[k]", "(a|b)", "(?:x)", "(?<n>a)"),
);
const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,2}", "*?");
const pattern = fc
  .array(
    fc.tuple(atom, quantifier).map(([one, times]) => (/^[\^$]$/.test(one) ? one : one + times)),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(""))
  // A group has one name only.
  .filter((source) => source.split("(?<n>").length < 3);

type Params = Record<string, unknown>;

function openCorpus() {
  let isFiltered = true;
  const { folder, call } = withFiles(corpus(), {
    wrap: (fs) => ({
      ...fs,
      scan: async (path, options) => (isFiltered ? fs.scan!(path, options) : undefined),
    }),
  });
  const search = async (params: Params) => {
    isFiltered = true;
    const filtered = await call<GrepToolDetails>(grep, params);
    isFiltered = false;
    return { filtered, complete: await call<GrepToolDetails>(grep, params) };
  };
  return { folder, search };
}

describe("a search with files filtered by text", () => {
  it("has the same result as a search of all files", async () => {
    const { search } = openCorpus();
    const params = fc.record({ pattern, literal: fc.boolean(), ignoreCase: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(params, async (each) => {
        const { filtered, complete } = await search({ ...each, limit: 5000, maxPerFile: 1 });
        expect(filtered).toEqual(complete);
      }),
      { numRuns: scaleRuns(60, 6) },
    );
  });

  it("reports the same skipped files", async () => {
    const { folder, search } = openCorpus();
    const secret = join(temporaryFolder(), "secret");
    writeFileSync(secret, "alpha");
    for (const name of ["0/alias", "5/alias"]) linkSync(secret, join(folder, name));
    writeFileSync(join(folder, "9/.netrc"), "alpha");
    for (const text of ["alpha", "no such thing", "^12"]) {
      for (const limit of [3, 5000]) {
        const { filtered, complete } = await search({ pattern: text, limit });
        expect(filtered).toEqual(complete);
        if (limit === 3) continue;
        expect(filtered.details.skipped).toMatchObject({ hardLinked: 2, unreadable: 1 });
        expect(filtered.details.skipped.notUtf8).toBe(0);
      }
    }
  });
});
