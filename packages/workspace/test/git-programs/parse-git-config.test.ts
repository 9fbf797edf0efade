import { fc, test as property } from "@fast-check/vitest";
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { parseGitConfig } from "../../src/git-programs/parse-git-config.ts";

function asGit(text: string): string[] | undefined {
  const git = spawnSync("git", ["config", "--file", "-", "--no-includes", "-z", "--list"], {
    input: text,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
  });
  if (git.status !== 0) return undefined;
  return git.stdout
    .split("\0")
    .slice(0, -1)
    .map((entry) => (entry.includes("\n") ? entry : `${entry}\ntrue`))
    .filter((entry) => entry.slice(0, entry.indexOf("\n")).includes("."));
}

/** Some versions of git, 2.39 among them, replace each blank inside a value by a space. */
const withSpaces = (settings: readonly string[]): string[] =>
  settings.map((setting) => setting.replaceAll(/[\t\v\f\r]/g, " "));

const asHere = (text: string): string[] => parseGitConfig(text).map(([key, value]) => `${key}\n${value}`);

it.each([
  "[core]\n\thooksPath = .husky/_\n",
  "[CORE]\nHooksPath=.githooks # comment",
  '[core] hooksPath = "a b" c ; comment\r\n[x]y\r\n',
  '[includeIf "gitdir:~/w/"]\npath = a\\\nb\n',
  '[a "s\\"u\\\\b"]\nk = "q # no comment" \\t\\n x\n',
  "[core.Sub]\nbare\n[a]\nb = \n",
  "\uFEFF[core]\nhooksPath = x",
  "[core]hooksPath=x\n[core]\nhooksPath\n",
])("reads %j like git", (text) => {
  expect(asHere(text)).toEqual(asGit(text));
});

const PIECES = `[core]|[CORE]|[a "B c"]|[a.B]|hooksPath|k|=| |\t|\n|\r\n|"|\\|\\\n|\\n|\\t|\\"|#|;|x|é|.husky/_|'|-|1`;
const piece = fc.constantFrom(...PIECES.split("|"));
const line = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

property.prop([line], { numRuns: scaleRuns(400, 10) })(
  "reads the same settings as git from any accepted text",
  (text) => {
    const listed = asGit(text);
    if (listed !== undefined) expect(withSpaces(asHere(text))).toEqual(withSpaces(listed));
  },
);
