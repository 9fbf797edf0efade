import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packed } from "../../../../../test/support/build-under-test.ts";

interface Shown {
  add(text: string): void;
  getRemainder(result: string): string;
}

// What is packed is no source to look into.
describe.skipIf(packed !== undefined)("removes printed output from a result", async () => {
  const source: string = join(import.meta.dirname, "../../../src/cli/call/shown-output.ts");
  const { ShownOutput } = (await import(source)) as { ShownOutput: new () => Shown };
  const closing = (shown: string, result: string) => {
    const output = new ShownOutput();
    output.add(shown);
    return output.getRemainder(result);
  };
  const many = Array.from({ length: 5_000 }, (_, index) => `line ${index}`);

  test.each([
    ["nothing was shown", "", "one\ntwo", "one\ntwo"],
    ["all was shown", "one\ntwo\n", "one\ntwo", ""],
    [
      "how it ended",
      "one\n\ntwo\n",
      "one\n\ntwo\n\n(Command exited with code 3)",
      "(Command exited with code 3)",
    ],
    ["a notice in front", "one\n", "[workdir: ran in /a]\n\none", "[workdir: ran in /a]"],
    ["the same line twice", "one\none\n", "one\none", ""],
    ["a line that a notice has, too", "b\n", "b is new here\n\nb", "b is new here"],
    ["a last line that came late", "one\n", "one\ntwo", "two"],
    [
      "an error",
      "one\ntwo\n",
      "Error: one\ntwo\n\nCommand exited with code 1",
      "Error: Command exited with code 1",
    ],
    [
      "a beginning and an end",
      `${many.join("\n")}\n`,
      `${many.slice(0, 9).join("\n")}\n[… 40 KB left out …]\n${many.slice(-9).join("\n")}\n\n[All of it: process {"action":"log"}]\n\n(exited)`,
      "(exited)",
    ],
    [
      "an end alone",
      `${many.join("\n")}\n`,
      `[… 40 KB before this left out …]\n${many.slice(-9).join("\n")}`,
      "",
    ],
  ])("%s", (_what, shown, result, rest) => {
    expect(closing(shown, result)).toBe(rest);
  });

  test("removes output that is longer than the stored part", () => {
    const output = new ShownOutput();
    for (let index = 0; index < 200_000; index++) output.add(`line ${index}\n`);
    const result = "line 0\nline 1\n[… 2 MB left out …]\nline 199998\nline 199999\n\n(exited)";
    expect(output.getRemainder(result)).toBe("(exited)");
  });
});
