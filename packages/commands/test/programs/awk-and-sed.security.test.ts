import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findLauncher } from "../../src/index.ts";

const raw = String.raw;

/** Programs of awk that write, start something, or could be taken for one that does neither. */
const ACTING_AWK = [
  'BEGIN { system("touch ran") }',
  'BEGIN { print "x" > "ran" }',
  'BEGIN { print "x" >> "ran" }',
  'BEGIN { printf "x" > "ran" }',
  'BEGIN { print "touch ran" | "sh" }',
  'BEGIN { "touch ran" | getline }',
  'BEGIN { print "x" |& "touch ran" }',
  'BEGIN { f = "system"; @f("touch ran") }',
  'BEGIN { x = 1; if (x) /"/; system("touch ran"); y = /"/ }',
  'BEGIN { print /"/; system("touch ran"); print /"/ }',
  raw`BEGIN { print "\""; system("touch ran") }`,
  'BEGIN { a = 4; a /= "/"; system("touch ran") } # "',
  'BEGIN { x = 4 / 2; system("touch ran"); y = 4 / 2 }',
  'BEGIN { # "\n system("touch ran") } # "',
  'BEGIN { print 1; print (2) > "ran" }',
  'function f() { return system("touch ran") } BEGIN { f() }',
  'BEGIN { print "x", "y" > "ran" }',
  '@load "readdir"; { print }',
  '@include "x"',
  "BEGIN { close(1) }",
  '/[/]/ { print } /"/ { system("touch ran") } /"/',
  // A list of what is printed goes on behind its line.
  'BEGIN { print "x",\n"y" > "ran" }',
  'BEGIN { print 1 && # more\n\n 2 > "ran" }',
  'BEGIN { printf("%s%s",\n"x", "y") > "ran" }',
  'BEGIN { print 1 ?\n 2 : 3 > "ran" }',
  // A `]` in front of a set, and one of a class, do not end it.
  '/[]/"]/ { system("touch ran") } #"',
  '/[^]/"]/ { system("touch ran") } #"',
  '/[[:alnum:]/"]/ { system("touch ran") } #"',
  '/[[]/"]/ { system("touch ran") } #"',
];

const READING_AWK = [
  "{print $1}",
  "NR > 1 { sum += $2 } END { print sum }",
  "/a|b/ { n++ } END { print n }",
  '$3 > 100 && $1 ~ /^x/ { print $1, "over", $3 }',
  'BEGIN { FS = "," } { gsub(/"/, ""); print toupper($1) }',
  '{ a[$1] += $2 / 2 } END { for (k in a) printf "%s\\t%d\\n", k, a[k] }',
  "!seen[$0]++",
  "length > 80",
  'NF { print NR ": " $0 } # numbers | lines > all',
  "$2 ~ /foo\\/bar/",
  "{ print $1\n  if ($2 > 1) n++ }",
  "/[[:space:]]x[^,\\]]/ { print $1,\n  $2 }\n$2 > 1",
];

const ACTING_SED = [
  "1e touch ran",
  "e",
  "w ran",
  "1w ran",
  "s/a/touch ran/e",
  "s/a/b/w ran",
  "s/a/b/;w ran",
  "/a/{p;w ran\n}",
  "s/[/]/p;w x/",
  "$!{N;w ran\n}",
  "r /etc/hosts",
  "a text",
  "y/a/b/;e",
  "/a/,/b/w ran",
  "{p",
  "p}",
  "s/a/b\nw ran",
  "F;W ran",
  // A set that begins with `]`, to some.
  "s,[],],p;s,w ran,z,",
  "s/[^]/]/p;s/w ran/z/",
];

const READING_SED = [
  "1,40p",
  "s/foo/bar/g",
  "/start/,/end/p",
  "/^$/d",
  "$d",
  "1~2p",
  "/a/I,+3!d",
  "s|a|b|;s,c,d,2p",
  "/x/{s/a/b/;p}",
  "$!N;P;D",
  "10q",
  "y/abc/xyz/",
  raw`s/\(a\)\/b/\1/`,
  "n;d",
  raw`s/[[:space:]]*[^a-z\/]$//`,
];

const isClear = (...argv: string[]): boolean => findLauncher(argv)?.unclear === undefined;

describe("a program that may do more than read", () => {
  test.each(ACTING_AWK)("awk %j is unclear", (program) => {
    for (const name of ["awk", "gawk", "mawk", "/usr/bin/mawk"])
      expect(isClear(name, program, "f")).toBe(false);
  });

  test.each(ACTING_SED)("sed %j is unclear", (program) => {
    expect(isClear("sed", program, "f")).toBe(false);
    expect(isClear("sed", "-n", "-e", "p", "-ne", program)).toBe(false);
  });

  test("is unclear if it is in a file or loads libraries", () => {
    for (const words of [
      ["-f", "x"],
      ["-E", "x"],
      ["-i", "x", "1"],
      ["-l", "x", "1"],
      ["-o", "1"],
      ["--", "-f"],
      [],
    ])
      expect({ words, clear: isClear("awk", ...words) }).toEqual({ words, clear: false });
    expect(isClear("gawk", "1", "/inet/tcp/0/localhost/80")).toBe(false);
  });
});

describe("a program that only reads", () => {
  test.each(READING_AWK)("awk %j is clear", (program) => {
    expect(isClear("awk", "-F", ",", "-v", "n=1", program, "f")).toBe(true);
  });

  test.each(READING_SED)("sed %j is clear", (program) => {
    expect(isClear("sed", "-n", "-e", program, "f")).toBe(true);
  });
});

test("clear programs leave no files in real awk and sed, and most unclear programs do", () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-awk-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "f"), "a,1,x\nb/start,200,y\nend\n");
  const awks = ["mawk", "gawk"].filter((name) => existsSync(`/usr/bin/${name}`));
  const left = (program: string, words: readonly string[]): string[] => {
    spawnSync(`/usr/bin/${program}`, words, { cwd: folder, input: "a\n", timeout: 20_000 });
    const more = readdirSync(folder).filter((name) => name !== "f");
    for (const name of more) rmSync(join(folder, name));
    return more;
  };
  for (const awk of awks) {
    for (const program of READING_AWK)
      expect({ program, left: left(awk, [program, "f"]) }).toEqual({ program, left: [] });
  }
  for (const program of READING_SED)
    expect({ program, left: left("sed", ["-n", program, "f"]) }).toEqual({ program, left: [] });
  const acting = ACTING_AWK.slice(0, 6).filter((program) =>
    awks.some((awk) => left(awk, [program, "f"]).length > 0),
  );
  expect(awks.length === 0 || acting.length >= 5).toBe(true);
});
