import { fc, test } from "@fast-check/vitest";
import { afterAll, describe, expect } from "vitest";
import { codePoint } from "../../../test/support/code-point.ts";
import { scaleRuns } from "../../../test/support/share.ts";
import { analyzeCommand, rebuildCommand, type CommandTemplate } from "../src/index.ts";
import { createMachine, SHELLS } from "./machine.ts";

/** Pieces of which lines are made that come close to what shells do. */
const PIECES =
  "marker|evil|a|b c| |\\t|\\n|'|\"|\\\\|$|`|(|)|{|}|,|..|;|&|<|>|2>&1|>/dev/null|#| #|!|~|*|?|[|]|=|a=b|&&|$(evil)|`evil`|env |nice |" +
  "timeout 5 |time |cd sub|if |then |fi|do |done|while |case |in |esac|for |function |coproc |[[ |]] |echo |printf |test |" +
  "ü|\\\\\\n|$'|$\\\"|\\\\'|<<E\\n|E\\n|<<<|>&2|1|./x|@(|!(|+(|:|true |false |exec |-c |--|&>|;;|%|^|-";
const piece = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("marker ", "a ", "'b c' ", "| evil ", "&& ./x ", "2>&1 ", "; ", '"d" '),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...PIECES.split("|").map((text) => unescape(text)), "|", "||", "|&"),
  },
);
const line = fc.array(piece, { minLength: 1, maxLength: 10 }).map((pieces) => `marker ${pieces.join("")}`);

describe("random lines", () => {
  const machine = createMachine(["marker", "evil", "a", "b", "1", "./x", "marker2"]);
  afterAll(() => machine.close());

  // Errors in dash, which takes 1 for the number of the second redirect, and wants a command after `!`.
  const examples: [string][] = [
    ["marker 2>&1>/dev/null"],
    ["marker ; !"],
    ["marker >2>&1 marker "],
    ["marker <1<in"],
  ];
  test.prop([line], { numRuns: scaleRuns(400, 10), examples })(
    "run in real shells as the template says, if they are clear",
    async (text) => {
      const outline = await analyzeCommand(text, { cwd: machine.cwd });
      if (
        outline.unclear !== undefined ||
        outline.shape.some((piece) => piece === "while " || piece === "until ") ||
        !outline.commands.every(({ builtin, name }) => builtin || isThere(name))
      )
        return;
      const rebuilt = rebuildCommand(outline, machine.executableOf);
      const [file = "", ...args] = "argv" in rebuilt ? rebuilt.argv : [];
      // Without a shell it is one and the same start, whichever shell it is compared with.
      const direct = file === "" ? undefined : machine.run(file, args);
      for (const shell of SHELLS) {
        const started = direct ?? machine.run(shell, ["-c", "script" in rebuilt ? rebuilt.script : ""]);
        expect(started).toEqual(machine.run(shell, ["-c", text]));
        expect(namesOf(outline)).toEqual(
          expect.arrayContaining(started.map(([name = ""]) => name.replace(/^.*\//, "./"))),
        );
      }
    },
  );

  const bytes = fc.string({ unit: codePoint, maxLength: 60 });
  test.prop([fc.oneof(bytes, fc.string({ unit: "grapheme", maxLength: 60 }))], {
    numRuns: scaleRuns(500, 4),
  })("always have a template, and clear templates can be rebuilt", async (text) => {
    const outline = await analyzeCommand(text, { cwd: "/work" });
    if (outline.unclear !== undefined) return;
    const positions = JSON.stringify([
      outline.shape,
      ...outline.commands.flatMap(({ fills }) => [...fills.values()]),
    ]);
    // Each command is written once, and none that was not read.
    expect(
      (positions.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").match(/\d+/g) ?? [])
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual(outline.commands.map((_, at) => at));
    expect(rebuildCommand(outline, () => "/bin/x")).toBeDefined();
  });
});

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, char: string) => ({ n: "\n", t: "\t" })[char] ?? char);
}

const isThere = (name: string): boolean => ["marker", "evil", "a", "b", "1", "./x"].includes(name);

function namesOf({ commands }: CommandTemplate): string[] {
  return commands.map(({ name }) => name);
}
