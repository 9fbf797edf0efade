import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packed } from "../../../../../test/support/build-under-test.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haftHere, type Line } from "../../support/haft.ts";

const help = async (...words: string[]) => haftHere(words, { cwd: await temporaryFolder() });

test("prints the same for help COMMAND and COMMAND --help, and an overview for help", async () => {
  expect(await help("help", "explain")).toEqual({
    ...(await help("explain", "--help")),
    lines: expect.any(Function),
  });
  const overview = await help("--help");
  for (const words of [["help"], ["help", "help"], ["help", "--json"], ["help", "--help"]])
    expect(await help(...words)).toMatchObject({ code: 0, stdout: overview.stdout, stderr: "" });
});

test("reports errors as JSON", async () => {
  const wrong = await help("help", "--json", "polcy");
  expect(wrong).toMatchObject({ code: 2 });
  expect(JSON.parse(wrong.stdout)).toMatchObject({
    error: "USAGE",
    message: expect.stringMatching(/Did you mean policy/),
  });
  expect((await help("help", "--json", "policy", "check")).stdout).toMatch(/^haft policy check FILE/);
});

test("prints only the options of an action for help COMMAND ACTION", async () => {
  const { code, stdout } = await help("help", "policy", "check");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^haft policy check FILE/);
  expect(stdout).toContain("Warnings do not fail.");
  expect(stdout).toContain("--guard");
  expect(stdout).toContain("Exit codes:");
  expect(stdout).not.toMatch(/--yes|haft policy test/);
  expect((await help("policy", "check", "--help")).stdout).toBe(stdout);
});

// What is packed is no source to look into.
describe.skipIf(packed !== undefined)("each help text lists all options", async () => {
  const source = (file: string): string => join(import.meta.dirname, "../../../src/cli", file);
  const { commands } = (await import(source("command-line.ts"))) as {
    commands: Record<string, () => Promise<Line>>;
  };
  const { optionLines } = (await import(source("help/format-help.ts"))) as {
    optionLines: (help: string) => { option: string; value?: string; about: string }[];
  };
  test.each(Object.keys(commands))("%s", async (name) => {
    const { help: text, options } = await commands[name]!();
    const explained = optionLines(text);
    const listed = explained.map(({ option }) => option).toSorted();
    expect(listed).toEqual(Object.keys(options).toSorted());
    for (const { option, value, about } of explained) {
      expect([option, value !== undefined]).toEqual([option, options[option].type === "string"]);
      expect(about).not.toBe("");
    }
    expect(text).toMatch(/^haft /);
    expect(text).toMatch(/\n\nExit codes: 0 /);
  });
});
