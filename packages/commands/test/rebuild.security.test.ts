import { fc, test as property } from "@fast-check/vitest";
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../test/support/share.ts";
import { analyzeCommand, quoteWord, rebuildCommand } from "../src/index.ts";
import { SHELLS } from "./machine.ts";

/** Writes its words, one after the other with NUL behind each. */
const ECHO = String.raw`for word; do printf "%s\0" "$word"; done`;
const at = (program: string): string => (program === "marker" ? process.execPath : `/usr/bin/${program}`);

const word = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({
    unit: fc.constantFrom("'", '"', "\\", "$", "`", "\n", "\t", " ", "-", "*", "~", "!", "#", "é", "👩‍👩‍👧", "a"),
  }),
);
const usable = word.filter((text) => !text.includes("\0") && text.isWellFormed());
/** What no line may hold, quoted or not: also the line separators, which show as line breaks. */
const CONTROL = /[^\P{Cc}\n\t]|[\u2028\u2029]/u;

describe("a rebuilt command", () => {
  // Many words at once: it is the programs that take the time.
  property.prop([fc.array(usable, { maxLength: 40, size: "max" })], { numRuns: scaleRuns(8, 2) })(
    "gives a program exactly these words, in every shell",
    (words) => {
      const line = ["/bin/sh", "-c", ECHO, "echo", ...words].map(quoteWord).join(" ");
      for (const shell of SHELLS) {
        const output = execFileSync(shell, ["-c", line], { encoding: "utf8" });
        expect(output.split("\0").slice(0, -1)).toEqual(words);
      }
    },
  );

  // Refused in a line, though U+2028 is no character of the category C.
  property.prop([fc.array(usable, { maxLength: 6 })], { examples: [[["\u2028"]]] })(
    "is what was quoted before: reading undoes quoting",
    async (words) => {
      const text = ["marker", ...words].map(quoteWord).join(" ");
      const outline = await analyzeCommand(text, { cwd: "/work" });
      if (CONTROL.test(text)) {
        expect(outline.unclear).toBe("it contains control characters");
        return;
      }
      expect(outline.unclear).toBeUndefined();
      expect(outline.commands[0]?.argv).toEqual(["marker", ...words]);
      expect(rebuildCommand(outline, at)).toEqual({ argv: [process.execPath, ...words] });
    },
  );

  test("needs no shell for one program, and names every program by its path", async () => {
    const rebuild = async (text: string, shell = "sh") =>
      rebuildCommand(await analyzeCommand(text, { cwd: "/work", shell }), (program) => `/bin/${program}`);
    expect(await rebuild("nice -n 5 git status")).toEqual({
      argv: ["/bin/nice", "-n", "5", "/bin/git", "status"],
    });
    expect(await rebuild("git log 2>&1|head;pwd")).toEqual({
      script: "'/bin/git' 'log' 2>&1 | '/bin/head'\n'pwd'",
      shell: "sh",
    });
    expect(await rebuild("time git log")).toEqual({ argv: ["/bin/time", "/bin/git", "log"] });
    expect(await rebuild("time git log", "/bin/bash")).toEqual({
      script: "time '/bin/git' 'log'",
      shell: "bash",
    });
  });

  test("runs a command substitution inside its word", async () => {
    const rebuild = async (text: string) =>
      rebuildCommand(await analyzeCommand(text, { cwd: "/work" }), (program) => `/bin/${program}`);
    expect(await rebuild('cat "a $(git log | wc)" $(ls)')).toEqual({
      script: `'/bin/cat' 'a '"$( '/bin/git' 'log' | '/bin/wc' )" $( '/bin/ls' )`,
      shell: "sh",
    });
    expect(await rebuild("find . -exec cat {} +")).toEqual({
      argv: ["/bin/find", ".", "-exec", "/bin/cat", "{}", "+"],
    });
  });

  test("uses absolute paths for cd, regardless of CDPATH", async () => {
    const outline = await analyzeCommand("cd a && cd ../b && ./run", { cwd: "/work" });
    expect(rebuildCommand(outline, (program) => program)).toEqual({
      script: "'cd' '/work/a' && 'cd' '/work/a/../b' && '/work/b/./run'",
      shell: "sh",
    });
  });

  test.each([
    ["cd sub && (true); ./x", "'cd' '/work/sub' || exit 1 && ( 'true' )\n'/work/sub/./x'"],
    ["(cd sub); ./x", "( 'cd' '/work/sub' )\n'/work/./x'"],
  ])("stops after a failed cd, regardless of subshells: %s", async (text, script) => {
    const context = { variables: {}, list: async () => [], getType: async () => "folder" as const };
    const outline = await analyzeCommand(text, { cwd: "/work", context });
    expect(rebuildCommand(outline, (program) => program)).toEqual({ script, shell: "sh" });
  });

  test("is refused if a part is uncertain or unknown", async () => {
    const unclear = await analyzeCommand("git log $x", { cwd: "/work" });
    expect(() => rebuildCommand(unclear, at)).toThrow(expect.objectContaining({ code: "COMMAND_UNCLEAR" }));
    const clear = await analyzeCommand("nice git log", { cwd: "/work" });
    for (const answer of [undefined, "git", ""]) {
      expect(() => rebuildCommand(clear, () => answer)).toThrow(
        expect.objectContaining({ code: "COMMAND_UNCLEAR" }),
      );
    }
  });
});
