import { fc, test } from "@fast-check/vitest";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { runsOf } from "../../../../test/support/share.ts";
import { readGitConfig } from "../../src/index.ts";

/** What git itself reads; `undefined` when it refuses to. */
function byGit(file: string, text: string) {
  writeFileSync(file, text);
  try {
    const out = execFileSync("git", ["config", "--file", file, "--list", "-z", "--no-includes"], {
      stdio: ["ignore", "pipe", "ignore"],
    }).toString();
    return out
      .split("\0")
      .slice(0, -1)
      .map((one) => {
        const cut = one.indexOf("\n");
        return cut < 0
          ? { key: one, value: undefined }
          : { key: one.slice(0, cut), value: one.slice(cut + 1) };
      });
  } catch {
    return undefined;
  }
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-git-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "config");
}

describe("a configuration of git is read as git reads it", () => {
  test.each([
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
  ])("%j", (text) => {
    const read = readGitConfig(text);
    const expected = byGit(temporary(), text);
    if (expected === undefined) expect(read).toBeUndefined();
    else expect(read).toEqual(expected);
  });

  test("a name before any section is refused, which git takes", () => {
    expect(byGit(temporary(), "b = c\n")).toBeDefined();
    expect(readGitConfig("b = c\n")).toBeUndefined();
  });

  test("whatever stands in it", () => {
    const file = temporary();
    const piece = fc.constantFrom(
      ..."abZ019 \"\\[].#;=-\n'~/".split(""),
      "\\n", "\\\n", "\\\"", "[core]\n", "[a \"b\"]\n", "\n[x.y]", "key = ", "name", " = ", "\"v w\"", "\n\t", "\\\\",
      "[include]\npath = ", "é",
    ); // prettier-ignore
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join("");
        const read = readGitConfig(text);
        // To refuse what git takes is safe; to take what it refuses, or anything for something else, is not.
        if (read !== undefined) expect(read).toEqual(byGit(file, text));
      }),
      { numRuns: runsOf(400, 3) },
    );
  });

  test("what it writes itself", () => {
    const file = temporary();
    const value = fc.string({ unit: fc.constantFrom(...'ab #;"\\= \n'.split("")), maxLength: 12 });
    fc.assert(
      fc.property(
        value,
        fc.string({ unit: fc.constantFrom(...'aB."\\ /:'.split("")), minLength: 1, maxLength: 8 }),
        (one, sub) => {
          writeFileSync(file, "");
          execFileSync("git", ["config", "--file", file, `remote.${sub}.url`, one]);
          expect(readGitConfig(readFileSync(file, "utf8"))).toEqual([
            { key: `remote.${sub}.url`, value: one },
          ]);
        },
      ),
      { numRuns: runsOf(150, 3) },
    );
  });
});
