import { fc, test as property } from "@fast-check/vitest";
import type { PlannedCommand } from "@haft/core";
import { describe, expect, test } from "vitest";
import {
  compileCommandPattern,
  restrictsCommand,
  exactCommandPattern,
  permitsCommand,
} from "../../src/patterns/command-pattern.ts";
import { command } from "../fixtures.ts";

function compile(pattern: string) {
  const compiled = compileCommandPattern(pattern);
  if ("message" in compiled) throw new Error(compiled.message);
  return compiled;
}
const opens = (pattern: string, planned: PlannedCommand) => permitsCommand(compile(pattern), planned);
const holds = (pattern: string, planned: PlannedCommand) => restrictsCommand(compile(pattern), planned);

test.each([
  ["", "missing"],
  ["  ", "missing"],
  [" git", "begins or ends with a space"],
  ["git ", "begins or ends with a space"],
  ["git\n", "begins or ends with a space"],
  ["git\u0000x", "control character"],
  ["git\\", "backslash"],
  ["./git", "begin with / or */"],
  ["bin/git status", "begin with / or */"],
  ["~/git", "begin with / or */"],
  ["x".repeat(2001), "2000 characters"],
])("refuses %j", (pattern, says) => {
  expect(compileCommandPattern(pattern)).toEqual({ message: expect.stringContaining(says) });
});

describe("opening lists", () => {
  test.each([
    ["git", "git status", true],
    ["git", "gitk", false],
    ["git status", "git status", true],
    ["git status", "git status --short", false],
    ["git status*", "git status --short", true],
    ["git status*", "git statusquo", true],
    ["git *", "git", true],
    ["git *", "git log -1", true],
    ["git * -1", "git log --all -1", true],
    ["git status", "Git status", false],
    ["git status", "git STATUS", false],
    ["g++ -v", "g++ -v", true],
    ["g++ -v", "g+ -v", false],
    ["ls ?", "ls a", false],
    ["echo \\*", "echo x", false],
    ["echo \\*", "echo *", true],
  ])("compare %s with %s: %s", (pattern, text, expected) =>
    expect(opens(pattern, command(text))).toBe(expected),
  );

  test("match the program that was found, not its argv name", () => {
    expect(opens("git", command("./git status", { path: "/work/git" }))).toBe(false);
    expect(opens("git", command("/usr/bin/git status"))).toBe(false);
    expect(opens("/usr/bin/git", command("git status"))).toBe(true);
    expect(opens("/usr/bin/git", command("git status", { path: "/work/bin/git" }))).toBe(false);
    expect(opens("*/git", command("git status", { path: "/work/bin/git" }))).toBe(true);
  });

  test("do not match missing programs", () => {
    const { path: _path, ...missing } = command("git status");
    expect(opens("git", missing)).toBe(false);
    expect(opens("cd *", { ...missing, name: "cd", argv: ["cd", "src"], builtin: true })).toBe(true);
  });

  test("distinguish a word with spaces from several words", () => {
    const joined: PlannedCommand = { ...command("git"), argv: ["git", "commit -m x"] };
    expect(opens("git commit -m x", joined)).toBe(false);
    expect(opens("git 'commit -m x'", joined)).toBe(true);
    const forged: PlannedCommand = { ...command("git"), argv: ["git", "'commit", "-m", "x'"] };
    expect(opens("git 'commit -m x'", forged)).toBe(false);
    expect(opens("rm ''", { ...command("rm"), argv: ["rm", ""] })).toBe(true);
  });
});

describe("restricting lists", () => {
  test.each([
    ["rm", command("rm -rf x"), "yes"],
    ["rm *", command("rm"), "yes"],
    ["rm -rf*", command("rm -rf x"), "yes"],
    ["rm -rf*", command("rm x"), "no"],
    ["rm", command("./rm x", { path: "/work/rm" }), "yes"],
    ["rm", command("/bin/rm x"), "yes"],
    ["vim.basic", command("vi x", { path: "/usr/bin/vim.basic" }), "yes"],
    ["vi", command("vi x", { path: "/usr/bin/vim.basic" }), "yes"],
    ["/usr/bin/vim.basic", command("vi x", { path: "/usr/bin/vim.basic" }), "yes"],
    ["nice", command("git log", { through: ["/usr/bin/env", "nice"] }), "yes"],
    ["env", command("git log", { through: ["/usr/bin/env", "nice"] }), "yes"],
    ["env -i *", command("git log", { through: ["env"] }), "unclear"],
    ["sudo", command("git log"), "no"],
  ] as const)("match %s", (pattern, planned, expected) => expect(holds(pattern, planned)).toBe(expected));

  test("match words regardless of quoting", () => {
    expect(holds("git commit -m x", { ...command("git"), argv: ["git", "commit -m x"] })).toBe("yes");
  });
});

const word = fc.stringMatching(/^[a-z*\\' ./-]{0,6}$/);

property.prop([
  fc.stringMatching(/^[a-z*\\. ]{1,6}$/),
  fc.array(word, { maxLength: 4 }),
  fc.array(word, { maxLength: 4 }),
])("the narrowest pattern opens its command and no other arguments", (name, args, others) => {
  const planned: PlannedCommand = { name, path: `/usr/bin/${name}`, argv: [name, ...args], through: [] };
  const pattern = compileCommandPattern(exactCommandPattern(planned)!);
  fc.pre(!("message" in pattern));
  expect(permitsCommand(pattern, planned)).toBe(true);
  const other = { ...planned, argv: [name, ...others] };
  if (args.length > 0 && JSON.stringify(args) !== JSON.stringify(others)) {
    expect(permitsCommand(pattern, other)).toBe(false);
  }
});
