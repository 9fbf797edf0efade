import { describe, expect, test } from "vitest";
import { isKnownHarmless } from "../../src/index.ts";

const isHarmless = (line: string): boolean => {
  const [name = "", ...args] = line.split(" ");
  return isKnownHarmless(`/usr/bin/${name}`, args);
};

describe("harmless programs with their options", () => {
  test.each([
    "find . -name x -type f -print0",
    "find d -newer x -ls",
    "fd x",
    "fd --type f x",
    "uniq a",
    "uniq -f 1 a",
    "uniq --skip-fields 1 a",
    "uniq -c -",
    "date",
    "date +%s",
    "date -u -d yesterday +%F",
    "date --date=yesterday",
    "date -r file",
    "date -Iseconds",
    "diff -u a b",
    "diff --left-column a b",
    "rg x",
    "rg --pre-glob *.x x",
    "git status",
    "git log --oneline",
    "jq . a.json",
    "tail -f x",
    "wc --files0-from=x",
    "du --files0-from x",
    "ls -la",
    "df --sync",
    "cat a b",
  ])("%s", (line) => expect(isHarmless(line)).toBe(true));

  test.each([
    "find d -delete",
    "find . ( -name x -delete )",
    "find . -exec rm {} +",
    "find . -execdir rm {} ;",
    "find . -ok rm {} ;",
    "find . -okdir rm {} ;",
    "find . -fprint x",
    "find . -fprint0 x",
    "find . -fprintf x %p",
    "find . -fls x",
    "fd -x rm",
    "fd -X rm",
    "fd --exec rm",
    "fd --exec-batch=rm",
    "fd -l",
    "fd -Hl",
    "fd --list-details",
    "fdfind --list-det",
    "uniq a b",
    "uniq - b",
    "uniq -c a b",
    "uniq -f 1 a b",
    "uniq a -- b",
    "uniq -- a b",
    "date -s 12:00",
    "date --set=12:00",
    "date --se 12:00",
    "date --s=12:00",
    "date -us 12:00",
    "date 112214002026",
    "date -u 112214002026",
    "diff -l a b",
    "diff -ul a b",
    "diff --paginate a b",
    "diff --pag a b",
    "rg --pre ./x y",
    "rg --hostname-bin ./x y",
    "rg -z y",
    "git push ./evil",
    "git clean -ffdx",
    "sort -o x y",
    "tree -o x",
    "hostname x",
    "env x",
    "split x",
    "tee x",
  ])("exclude %s", (line) => expect(isHarmless(line)).toBe(false));

  test("must be in a system folder", () => {
    expect(isKnownHarmless("/usr/local/bin/cat", [])).toBe(false);
    expect(isKnownHarmless("/work/cat", [])).toBe(false);
  });
});
