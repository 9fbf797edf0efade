import { expect, test } from "vitest";
import { analyzeCommand, type ScriptContext } from "../../src/index.ts";

/** A folder in which every name is long, and a folder. */
const machine: ScriptContext = {
  variables: { HOME: "/home/ada" },
  list: async () => Array.from({ length: 40 }, (_, at) => "a".repeat(200) + at),
  getType: async () => "folder",
};
const times = (text: string, count: number): string => text.repeat(count);

// Each of these took, in one way of reading or another, time that doubles with every sign.
test.each([
  ["stars", `ls ${times("*a", 100)}b`],
  ["folders", `ls ${times("*/", 10_000)}`],
  ["groups in a row", `ls ${times("{a,b}", 40)}`],
  ["groups in groups", `ls ${times("{a,", 20_000)}${times("}", 20_000)}`],
  ["a long word with a group", `ls ${times("a", 120_000)}{1..999}`],
  ["rows of groups", `ls ${times("{1..999} ", 10_000)}`],
  ["patterns that nothing fits", `ls ${times("q* ", 40_000)}`],
  ["open groups", `ls ${times("{,", 40_000)}`],
  ["loops in loops", `${times("for a in 1 2 3; do ", 12)}ls${times("; done", 12)}`],
  ["loops over groups", `for a in {1..999}; do for b in {1..999}; do ls; done; done`],
  ["commands in commands", `ls ${times("$(ls ", 400)}${times(")", 400)}`],
  ["quoted commands in commands", `ls ${times('"$(ls ', 200)}${times(')"', 200)}`],
  ["variables", `ls ${times('"$HOME"', 10_000)}`],
  ["values of values", `X=aaaaaaaaaa${times('; X="$X$X$X$X"', 40)}; ls "$X"`],
  ["long words in rounds", `X=${times("a", 20_000)}; for a in {1..999}; do ls "$X" "$X"; done`],
  ["here-documents", times("cat <<'E'\nx\nE\n", 60)],
])("reading %s ends quickly", async (_, text) => {
  const outline = await analyzeCommand(text, { cwd: "/work", shell: "bash", context: machine });
  expect(outline.commands.length).toBeLessThan(1200);
});

test("the number of listed folders is limited, whatever they contain", async () => {
  let listings = 0;
  const list = async () => {
    listings += 1;
    return [];
  };
  const text = `ls ${times("q* ", 5_000)}`;
  const { unclear } = await analyzeCommand(text, {
    cwd: "/work",
    shell: "bash",
    context: { ...machine, list },
  });
  expect(unclear).toBe("it comes to more words than anybody reads");
  expect(listings).toBeLessThan(1200);
});
