import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analyzeCommand, rebuildCommand, type CommandOutline } from "../src/index.ts";
import { knownBypasses } from "./lines/known-bypasses.ts";
import type { Line } from "./lines/line.ts";
import { programs } from "./lines/programs.ts";
import { shellLanguage } from "./lines/shell-language.ts";
import { createMachine, SHELLS, type Machine } from "./machine.ts";

const LINES: readonly Line[] = [...knownBypasses, ...shellLanguage, ...programs];

test("there are enough hostile lines, and each only once", () => {
  const texts = new Set(LINES.map(([text]) => text));
  expect(texts.size).toBe(LINES.length);
  expect(LINES.length).toBeGreaterThanOrEqual(600);
});

describe("what each line would run", () => {
  test.each(LINES)("%j: %s", async (text, expected, not) => {
    const outline = await analyzeCommand(text, { cwd: "/work" });
    expect(summaryOf(outline)).toBe(expected);
    if (not !== undefined) expect(outline.commands[0]?.harmless ?? false).toBe(false);
  });
});

describe("run in real shells, on a machine of programs that write down what was started", () => {
  let machine: Machine;
  let outlines: CommandOutline[];
  let clear: CommandOutline[];
  beforeAll(async () => {
    const first = await Promise.all(LINES.map(([text]) => analyzeCommand(text, { cwd: "/work" })));
    machine = createMachine(
      ["evil", ...first.flatMap(({ commands }) => commands.map(({ name }) => name))].filter(isProgram),
    );
    outlines = await Promise.all(LINES.map(([text]) => analyzeCommand(text, { cwd: machine.cwd })));
    clear = outlines.filter(({ unclear }) => unclear === undefined);
  });
  afterAll(() => machine.close());

  test("nothing starts that an outline does not name, and all of it with these very words", () => {
    expect(clear.length).toBeGreaterThan(140);
    for (const outline of clear) {
      const expected = startedBy(outline);
      for (const shell of SHELLS) {
        const started = runRebuilt(machine, outline, shell);
        const note = JSON.stringify([outline.text, shell]);
        if (isStraight(outline)) expect(started, note).toEqual(expected);
        else for (const one of started) expect(expected, note).toContainEqual(one);
      }
    }
  });

  test("a shell reads a clear line as the outline does", () => {
    for (const outline of clear) {
      for (const shell of SHELLS) {
        const note = JSON.stringify([outline.text, shell]);
        expect(machine.run(shell, ["-c", outline.text]), note).toEqual(runRebuilt(machine, outline, shell));
      }
    }
  });

  test("with only `marker` on the list, nothing else ever starts", () => {
    const passed = clear.filter(({ commands }) =>
      commands.every(({ name, builtin }) => builtin || name === "marker"),
    );
    expect(passed.length).toBeGreaterThan(50);
    for (const outline of passed) {
      for (const shell of SHELLS) {
        for (const [name] of runRebuilt(machine, outline, shell)) expect(name, outline.text).toBe("marker");
      }
    }
  });
});

function summaryOf({ unclear, commands }: CommandOutline): string {
  if (unclear !== undefined) return "unclear";
  const [only] = commands;
  return commands.length === 1 && only?.carrier !== undefined
    ? "carrier"
    : commands.map(({ name }) => name).join(" ");
}

/** One that a file can be made for. */
function isProgram(name: string): boolean {
  return /^[\w./+-]+$/.test(name) && !/^[./]*$/.test(name);
}

function runRebuilt(machine: Machine, outline: CommandOutline, shell: string): string[][] {
  const rebuilt = rebuildCommand(outline, machine.executableOf);
  if ("script" in rebuilt) return machine.run(shell, ["-c", rebuilt.script]);
  const [file = "", ...args] = rebuilt.argv;
  return machine.run(file, args);
}

/** What has to be started when every command succeeds. */
function startedBy({ commands, cwd }: CommandOutline): string[][] {
  return commands
    .filter(({ builtin }) => !builtin)
    .map(({ argv: [name = "", ...args] }) => [
      name.startsWith("./") ? cwd + name.slice(1) : name.includes("/") ? `${cwd}/${name}` : name,
      ...args,
    ])
    .toSorted((a, b) => (a.join("\0") < b.join("\0") ? -1 : 1));
}

/** Nothing in it decides whether something else runs. */
function isStraight({ commands, joins }: CommandOutline): boolean {
  return !joins.includes("||") && !commands.some(({ name }) => ["false", "exit", "test", "["].includes(name));
}
