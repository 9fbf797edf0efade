import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analyzeCommand, rebuildCommand, type CommandTemplate } from "../src/index.ts";
import { codeLoadingLines } from "./lines/code-loading-options.ts";
import { knownBypasses } from "./lines/known-bypasses.ts";
import type { Line } from "./lines/line.ts";
import { programs } from "./lines/programs.ts";
import { shellLanguage } from "./lines/shell-language.ts";
import { createMachine, SHELLS, type Machine } from "./machine.ts";

const LINES: readonly Line[] = [...knownBypasses, ...shellLanguage, ...programs, ...codeLoadingLines];

test("the list has enough hostile lines without duplicates", () => {
  const texts = new Set(LINES.map(([text]) => text));
  expect(texts.size).toBe(LINES.length);
  expect(LINES.length).toBeGreaterThanOrEqual(600);
});

test.each(LINES.map(([text, expected, not]) => ({ text, expected, not })))(
  "$text: $expected",
  async ({ text, expected, not }) => {
    const outline = await analyzeCommand(text, { cwd: "/work" });
    expect(summaryOf(outline)).toBe(expected);
    if (not !== undefined) expect(outline.commands[0]?.harmless ?? false).toBe(false);
  },
);

describe("hostile lines in real shells with recording programs", () => {
  let machine: Machine;
  let clear: CommandTemplate[];
  /** What was started by each: run once, looked at from three sides. */
  const runs = new Map<string, string[][]>();
  const runRebuilt = (outline: CommandTemplate, shell: string): string[][] => {
    const rebuilt = rebuildCommand(outline, machine.executableOf);
    const argv = "script" in rebuilt ? [shell, "-c", rebuilt.script] : rebuilt.argv;
    const key = JSON.stringify(argv);
    const started = runs.get(key) ?? machine.run(argv[0]!, argv.slice(1));
    runs.set(key, started);
    return started;
  };
  beforeAll(async () => {
    const analyze = (cwd: string) => Promise.all(LINES.map(([text]) => analyzeCommand(text, { cwd })));
    const names = (await analyze("/work")).flatMap(({ commands }) => commands.map(({ name }) => name));
    machine = createMachine(["evil", ...names].filter(isProgram));
    clear = (await analyze(machine.cwd)).filter(({ unclear }) => unclear === undefined);
  });
  afterAll(() => machine.close());

  test("start only the commands and words of the template", () => {
    expect(clear.length).toBeGreaterThan(140);
    for (const outline of clear) {
      const open = new Set(outline.commands.flatMap((one) => (one.open === true ? [one.name] : [])));
      // Some words are not known before it runs.
      const known = (words: string[]) => (open.has(words[0]!) ? words.slice(0, 1) : words);
      const expected = startedBy(outline).map(known);
      for (const shell of SHELLS) {
        const started = runRebuilt(outline, shell).map(known);
        const { text } = outline;
        if (isStraight(outline)) expect({ text, shell, started }).toEqual({ text, shell, started: expected });
        else
          expect({ text, shell, unexpected: without(started, expected) }).toEqual({
            text,
            shell,
            unexpected: [],
          });
      }
    }
  });

  test("run as the template says if they are clear", () => {
    for (const outline of clear) {
      for (const shell of SHELLS) {
        const { text } = outline;
        const started = runRebuilt(outline, shell);
        expect({ text, shell, started }).toEqual({ text, shell, started: machine.run(shell, ["-c", text]) });
      }
    }
  });

  test("start only `marker` if only `marker` is allowed", () => {
    const passed = clear.filter(({ commands }) =>
      commands.every(({ name, builtin }) => builtin || name === "marker"),
    );
    expect(passed.length).toBeGreaterThan(50);
    for (const outline of passed) {
      for (const shell of SHELLS) {
        const names = runRebuilt(outline, shell).map(([name]) => name);
        expect({ text: outline.text, others: names.filter((name) => name !== "marker") }).toEqual({
          text: outline.text,
          others: [],
        });
      }
    }
  });
});

function summaryOf({ unclear, commands }: CommandTemplate): string {
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

/** What has to be started when every command succeeds. */
function startedBy({ commands, cwd }: CommandTemplate): string[][] {
  return commands
    .filter(({ builtin, nested }) => !builtin && !nested)
    .map(({ argv: [name = "", ...args] }) => [
      name.startsWith("./") ? cwd + name.slice(1) : name.includes("/") ? `${cwd}/${name}` : name,
      ...args,
    ])
    .toSorted((a, b) => (a.join("\0") < b.join("\0") ? -1 : 1));
}

/** Nothing in it decides whether something else runs. */
function isStraight({ commands, shape, files }: CommandTemplate): boolean {
  return (
    files.length === 0 &&
    !shape.includes(" || ") &&
    !shape.some((piece) => typeof piece === "string" && /^(?:if|elif|while|until) $/.test(piece)) &&
    !commands.some(({ nested }) => nested) &&
    !commands.some(({ name }) => ["false", "exit", "test", "["].includes(name))
  );
}

/** Those that are not among the others. */
function without(some: readonly string[][], others: readonly string[][]): string[][] {
  const known = new Set(others.map((words) => JSON.stringify(words)));
  return some.filter((words) => !known.has(JSON.stringify(words)));
}
