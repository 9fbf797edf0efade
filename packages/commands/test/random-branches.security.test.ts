import { fc, test } from "@fast-check/vitest";
import { afterAll, describe, expect } from "vitest";
import { scaleRuns } from "../../../test/support/share.ts";
import { analyzeCommand, rebuildCommand } from "../src/index.ts";
import { createMachine, SHELLS } from "./machine.ts";

const simple = fc.constantFrom(
  "marker a",
  "marker b 2>&1",
  "evil",
  "true",
  "false",
  "! marker c",
  "marker d | evil",
  "false || marker e",
  "marker f && evil g",
  "exit 3",
  "(marker h; evil)",
);
const separator = fc.constantFrom("; ", "\n", " ;\n", "\n# fi; done\n");

/** Lists of statements with branches, loops that end, and background commands. */
const { list } = fc.letrec<{ list: string; statement: string }>((tie) => ({
  list: fc
    .tuple(fc.array(tie("statement"), { minLength: 1, maxLength: 3 }), separator)
    .map(([statements, between]) =>
      statements.reduce((line, one) => (line.endsWith("&") ? `${line} ${one}` : `${line}${between}${one}`)),
    ),
  statement: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    simple,
    fc
      .tuple(tie("list"), tie("list"), separator)
      .map(([a, b, s]) => end(a, s, "if ", "then ", end(b, s, "", "fi"))),
    fc
      .tuple(tie("list"), tie("list"), tie("list"), separator)
      .map(([a, b, c, s]) => end(a, s, "if ", "then ", end(b, s, "", "else ", end(c, s, "", "fi")))),
    fc
      .tuple(tie("list"), tie("list"), tie("list"), separator)
      .map(([a, b, c, s]) =>
        end(a, s, "if ", "then ", end(b, s, "", `elif false; then ${end(c, s, "", "fi")}`)),
      ),
    tie("list").map((body) => `until true; do ${end(body, "\n", "", "done")}`),
    tie("list").map((body) => `while false; do ${end(body, "; ", "", "done")}`),
    simple.map((one) => `${one} &`),
    tie("list").map((body) => `{ ${end(body, "\n", "", "}")}`),
    fc
      .tuple(tie("list"), fc.constantFrom("sh -c", "bash -ec", "timeout 9 sh -uc"))
      .map(([body, shell]) => `${shell} '${body.replaceAll("'", "'\\''")}'`),
  ),
}));

/** Ends a list before a reserved word, after which more follows. */
function end(body: string, between: string, before: string, word: string, rest = ""): string {
  return `${before}${body}${body.endsWith("&") ? " " : between}${word}${rest}`;
}

describe("random branches", () => {
  const machine = createMachine(["marker", "evil"]);
  afterAll(() => machine.close());

  test.prop([list], { numRuns: scaleRuns(500, 20) })(
    "are clear, and start the same programs as the line in each shell",
    async (line) => {
      const text = `${line}${line.endsWith("&") ? "" : "\n"}`;
      const outline = await analyzeCommand(text, { cwd: machine.cwd });
      expect({ text, unclear: outline.unclear }).toEqual({ text, unclear: undefined });
      const rebuilt = rebuildCommand(outline, machine.executableOf);
      const [file = "", ...args] = "argv" in rebuilt ? rebuilt.argv : [];
      for (const shell of SHELLS) {
        const given = machine.run(shell, ["-c", text]);
        const started =
          "script" in rebuilt ? machine.run(shell, ["-c", rebuilt.script]) : machine.run(file, args);
        expect({ text, shell, started }).toEqual({ text, shell, started: given });
      }
    },
  );
});
