import { fc } from "@fast-check/vitest";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../../test/support/share.ts";
import { readGitConfig } from "../../../src/plan/git/git-config.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-git-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const fileOf = (at: number) => join(folder, `${at}`);
const seed = Number(process.env["HAFT_SEED"] ?? Math.floor(Math.random() * 1e9));

/** What git itself reads in each of these texts; `undefined` where it refuses to. One shell starts git for all of them. */
function byGit(texts: readonly string[]) {
  for (const [at, text] of texts.entries()) writeFileSync(fileOf(at), text);
  const script = String.raw`for file; do
    git config --file "$file" --list -z --no-includes 2>/dev/null
    printf '%s\0\0' $?
  done`;
  const out = execFileSync("sh", ["-c", script, "sh", ...texts.keys().map(fileOf)]).toString();
  // No entry is empty, so two ends only stand behind an exit code.
  return out
    .split("\0\0")
    .slice(0, -1)
    .map((listing) => {
      const entries = listing.split("\0");
      return entries.pop() === "0" ? entries.map(entryOf) : undefined;
    });
}

function entryOf(listed: string) {
  const cut = listed.indexOf("\n");
  return cut < 0
    ? { key: listed, value: undefined }
    : { key: listed.slice(0, cut), value: listed.slice(cut + 1) };
}

describe("readGitConfig", () => {
  test("reads typical configurations like git", () => {
    const texts = [
      "",
      "[a]\nb = c\n",
      "[a] b = c",
      '[A "B c"] D = e # f\n',
      "[a.B]\nc\n",
      '[a "b\\"c\\\\d"]\nc=1',
      '[a]\nb = "x # y" ; z\n',
      "[a]\nb = one\\\n two\n",
      "[a]\nb = one \\\n   two   \n",
      '[a]\n\tb = \\t\\n\\\\\\"\n',
      "[a]\r\nb = c\r\n",
      "\ufeff[a]\nb = c",
      "[core]\n\tfsmonitor = id > x;:\n",
      "[a]b=c[d]e=f\n",
      '[a]\nb = "unclosed\n',
      "[a]\nb = \\q\n",
      "[a\nb = c",
      "[a]\nb c = d\n",
      "[a]\n1b = d\n",
      '[a "b" ]\nc = d\n',
      "[a]\nb = c\\",
      "[a]\nb=#\n",
      "[a]\nb-c=1\n# d = e\n; f = g\n",
      "[]\na = b\n",
      '[a ""]\nb = c\n',
      "[a]\nb = c \\\n# d\n",
    ];
    expect(texts.map((text) => ({ text, read: readGitConfig(text) }))).toEqual(
      byGit(texts).map((read, at) => ({ text: texts[at], read })),
    );
  });

  test("rejects a name before any section, which git accepts", () => {
    expect(byGit(["b = c\n"])[0]).toBeDefined();
    expect(readGitConfig("b = c\n")).toBeUndefined();
  });

  test("reads random configurations like git, or rejects them", () => {
    const piece = fc.constantFrom(
      ..."abZ019 \"\\[].#;=-\n'~/".split(""),
      "\\n", "\\\n", "\\\"", "[core]\n", "[a \"b\"]\n", "\n[x.y]", "key = ", "name", " = ", "\"v w\"", "\n\t", "\\\\",
      "[include]\npath = ", "é",
    ); // prettier-ignore
    const some = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(""));
    const texts = fc.sample(some, { numRuns: scaleRuns(400, 8), seed });
    const given = byGit(texts);
    expect(given).toHaveLength(texts.length);
    for (const [at, text] of texts.entries()) {
      const read = readGitConfig(text);
      // To refuse what git takes is safe; to take what it refuses, or anything for something else, is not.
      if (read !== undefined) expect({ seed, text, read }).toEqual({ seed, text, read: given[at] });
    }
  });

  test("reads configurations that git writes", () => {
    const value = fc.string({ unit: fc.constantFrom(...'ab #;"\\= \n'.split("")), maxLength: 12 });
    const name = fc.string({ unit: fc.constantFrom(...'aB."\\ /:'.split("")), minLength: 1, maxLength: 8 });
    const entries = fc.sample(fc.tuple(name, value), { numRuns: scaleRuns(150, 6), seed });
    const script = `while [ $# -gt 0 ]; do
      : >"$1"; git config --file "$1" "remote.$2.url" "$3" || exit; shift 3
    done`;
    const words = entries.flatMap(([sub, one], at) => [fileOf(at), sub, one]);
    execFileSync("sh", ["-c", script, "sh", ...words]);
    for (const [at, [sub, one]] of entries.entries())
      expect({ seed, read: readGitConfig(readFileSync(fileOf(at), "utf8")) }).toEqual({
        seed,
        read: [{ key: `remote.${sub}.url`, value: one }],
      });
  });
});
