import { fc, it as property } from "@fast-check/vitest";
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { parseHookEntry } from "../src/install/parse-hook-entry.ts";
import { probe } from "../src/install/probe.ts";
import { allSettings } from "../src/settings/all-settings.ts";
import { type HookEntry, isGuardHookLine, shellLine } from "../src/settings/hook-entry.ts";

const line: HookEntry = {
  program: ["/opt/node/bin/node", "/opt/haft it's/guard-hook.js"],
  env: { HAFT_CONFIG: "/home/ann/haft config.yaml" },
  watchdog: ["/usr/bin/timeout", "-k", "1", "9"],
  policyFile: "/home/ann/it's mine/guard.yaml",
  watchOnly: false,
};
const other: HookEntry = { program: line.program, env: {}, watchdog: [], watchOnly: true };

const JSONS = [
  ["claude", "PreToolUse"],
  ["gemini", "BeforeTool"],
  ["cursor", "preToolUse"],
  ["cursor", "beforeMCPExecution"],
].map(([name, event]) => ({ settings: allSettings.get(name!)!, event: event! }));
const codex = allSettings.get("codex")!;

/** Space and comments, as people have them. */
const gap = fc.constantFrom("", " ", "\n", "\n  ", "\r\n", "\t", " // mine, { [\n", "/* [ , { */");
const foreign = fc.oneof(
  fc.constant({ matcher: "Bash", hooks: [{ type: "command", command: "my-own-hook.sh || exit 2" }] }),
  fc.constant({ command: "node /opt/other/guard-hook.js claude PreToolUse" }),
  fc.jsonValue({ maxDepth: 1 }),
);

/** Settings with entries, keys, comments and space of others, in all places. */
function settingsTexts(event: string) {
  const part = fc.tuple(gap, gap);
  const list = fc
    .tuple(fc.array(foreign, { maxLength: 3 }), part, fc.boolean())
    .map(
      ([all, [a, b], trailing]) =>
        `[${a}${all.map((each) => JSON.stringify(each)).join(`${b},${a}`)}${all.length > 0 && trailing ? "," : ""}${b}]`,
    );
  const object = (inner: fc.Arbitrary<string | undefined>, key: string) =>
    fc
      .tuple(inner, part, fc.subarray(["a", "b", "hooks2"]), fc.jsonValue({ maxDepth: 1 }), fc.boolean())
      .map(([found, [a, b], keys, value, first]) => {
        const others = keys.map((name) => `${JSON.stringify(name)}:${a}${JSON.stringify(value)}`);
        const own = found === undefined ? [] : [`${JSON.stringify(key)}${b}:${a}${found}`];
        return `{${a}${(first ? [...own, ...others] : [...others, ...own]).join(`${b},${a}`)}${b}}`;
      });
  const hooks = object(fc.option(list, { nil: undefined }), event);
  return fc
    .tuple(
      fc.constantFrom("", "\uFEFF", "\n", "// top\n"),
      object(fc.option(hooks, { nil: undefined }), "hooks"),
      gap,
    )
    .map((parts) => parts.join(""));
}

describe.each(JSONS)("$settings.id, $event", ({ settings, event }) => {
  const texts = settingsTexts(event);

  property.prop([texts])("restores the original text byte for byte", (text) => {
    const installed = settings.install(text, line);
    expect(settings.installed(installed)).toHaveLength(1);
    expect(settings.installed(text)).toEqual([]);
    expect(settings.install(installed, line)).toBe(installed);
    const again = settings.install(installed, other);
    expect(settings.installed(again)).toEqual([expect.stringContaining("--watch-only")]);
    expect(settings.uninstall(again)).toBe(text);
    expect(settings.uninstall(installed)).toBe(text);
    expect(settings.uninstall(text)).toBe(text);
  });

  property.prop([fc.constantFrom("", "\n", " \r\n")])("installs into empty and missing files", (text) => {
    expect(settings.uninstall(settings.install(text, line))).toBe(text);
    const made = settings.install(undefined, line);
    expect(settings.uninstall(made)).toBeUndefined();
    expect(settings.uninstall(settings.install(made, other))).toBeUndefined();
    for (const own of ["{}", "{\n}\n", "{ }"])
      expect(settings.uninstall(settings.install(own, line))).toBe(own);
  });

  it("finds and removes its entry after the agent rewrote its settings", () => {
    const mine = [{ command: "mine" }];
    const events = settings.id === "cursor" ? ["preToolUse", "beforeMCPExecution"] : [event];
    const was = { theme: "dark", hooks: Object.fromEntries(events.map((name) => [name, mine])) };
    const written = JSON.stringify(JSON.parse(settings.install(JSON.stringify(was), line)), undefined, 4);
    expect(JSON.parse(settings.uninstall(written)!)).toEqual(was);
  });

  it("leaves no empty list after the agent rewrote its settings", () => {
    const written = JSON.stringify(JSON.parse(settings.install('{ "theme": "dark" }', line)), undefined, 2);
    const left = JSON.parse(settings.uninstall(written)!) as { hooks?: unknown; theme: string };
    expect([left.hooks, left.theme]).toEqual([undefined, "dark"]);
  });

  it.each([
    "{",
    "[]",
    "null",
    '{"hooks": []}',
    '{"hooks": null}',
    `{"hooks": {"${event}": {}}}`,
    '{"hooks": {}, "hooks": {}}',
    '{"a": 1 "b": 2}',
  ])("rejects %s", (text) => {
    expect(() => settings.install(text, line)).toThrow(/not valid JSON|of type|is null|twice/);
  });
});

describe("cursor", () => {
  const cursor = allSettings.get("cursor")!;

  it("asks with two events, only one of which names the server of a tool", () => {
    const { hooks } = JSON.parse(cursor.install(undefined, line)) as {
      hooks: Record<string, { command: string; failClosed: boolean }[]>;
    };
    expect(Object.keys(hooks)).toEqual(["preToolUse", "beforeMCPExecution"]);
    for (const [[entry, more], words] of [
      [hooks["preToolUse"]!, "cursor preToolUse+beforeMCPExecution"],
      [hooks["beforeMCPExecution"]!, "cursor beforeMCPExecution"],
    ] as const) {
      expect([entry!.failClosed, more]).toEqual([true, undefined]);
      expect(entry!.command).toContain(`guard-hook.js' ${words} --policy`);
    }
  });

  it("reports a missing event, and restores it with the next installation", () => {
    const now = cursor.install(undefined, line);
    expect(cursor.findDisablingSettings!(now)).toEqual([]);
    const { version, hooks } = JSON.parse(now);
    for (const event of ["preToolUse", "beforeMCPExecution"]) {
      const text = JSON.stringify({ version, hooks: { ...hooks, [event]: [] } });
      expect(cursor.findDisablingSettings!(text)).toEqual([expect.stringContaining(`${event} is missing`)]);
      expect(JSON.parse(cursor.install(text, line))).toEqual(JSON.parse(now));
    }
  });
});

describe("codex", () => {
  const tables = fc.subarray(
    [
      'model = "gpt-5.5" # mine',
      "[features]\nhooks = true",
      "[[hooks.PreToolUse]]\nmatcher = 'x'\n[[hooks.PreToolUse.hooks]]\ntype = 'command'\ncommand = 'mine'",
      "[[hooks.Stop]]\nmatcher = 'y'",
      '[mcp_servers."a b"]\ncommand = """x\ny"""',
    ],
    { minLength: 0 },
  );
  property.prop([tables, fc.constantFrom("\n", "\r\n"), fc.constantFrom("", "\n", "\n\n", "  # end")])(
    "restores the original text byte for byte",
    (parts, eol, end) => {
      const text = (parts.join("\n\n") + end).replaceAll("\n", eol);
      const installed = codex.install(text, line);
      expect(codex.installed(installed)).toHaveLength(1);
      expect(codex.install(installed, line)).toBe(installed);
      expect(codex.uninstall(codex.install(installed, other))).toBe(text);
      expect(codex.uninstall(installed)).toBe(text);
      const more = `${installed}[later]${eol}x = 1${eol}`;
      expect(codex.uninstall(more)).toMatch(/\[later\]\r?\nx = 1\r?\n$/);
    },
  );

  it("creates a file and removes it", () => {
    expect(codex.uninstall(codex.install(undefined, line))).toBeUndefined();
    expect(codex.uninstall(codex.install("", line))).toBe("");
  });

  it.each([
    "model = ",
    "hooks = 1",
    "[hooks]\nPreToolUse = [{ matcher = 'x' }]",
    "[hooks]\nPreToolUse = 'x'",
    "# haft guard: begin\nx = 1",
    "# haft guard: end\n# haft guard: begin\n",
  ])("rejects %j", (text) => {
    expect(() => codex.install(text, line)).toThrow(/not valid TOML|would change|incomplete/);
  });

  it("reports disabled hooks", () => {
    expect(codex.findDisablingSettings?.("[features]\nhooks = false")).toHaveLength(1);
    expect(codex.findDisablingSettings?.("[features]\nhooks = true")).toEqual([]);
  });
});

it.each(["copilot", "opencode", "pi", "openclaw"])(
  "%s has a separate file, and does not change files of others",
  (name) => {
    const settings = allSettings.get(name)!;
    const made = settings.install(undefined, line);
    expect(settings.install(made, line)).toBe(made);
    expect(settings.installed(made)).toHaveLength(1);
    expect(settings.uninstall(made)).toBeUndefined();
    const foreignText = name === "copilot" ? '{"version":1,"hooks":{}}' : "export default () => {};\n";
    expect(() => settings.install(foreignText, line)).toThrow("does not belong to the guard");
    expect(settings.uninstall(foreignText)).toBe(foreignText);
  },
);

it("parses its own entries with any paths", () => {
  for (const [id, settings] of allSettings) {
    const [installed = ""] = settings.installed(settings.install(undefined, line));
    expect({ id, ...parseHookEntry(installed) }).toEqual({
      id,
      env: line.env,
      programs: line.program,
      policyFile: line.policyFile,
      watchOnly: false,
    });
    const [watching = ""] = settings.installed(settings.install(undefined, other));
    expect({ id, ...parseHookEntry(watching) }).toMatchObject({ id, policyFile: undefined, watchOnly: true });
  }
});

it("recognises only its own lines", () => {
  expect(isGuardHookLine("claude", shellLine("claude", "PreToolUse", line))).toBe(true);
  expect(isGuardHookLine("codex", shellLine("claude", "PreToolUse", line))).toBe(false);
  for (const mine of [
    "node /x/guard-hook.js claude PreToolUse",
    "guard-hook.js claude || true",
    7,
    undefined,
  ])
    expect(isGuardHookLine("claude", mine)).toBe(false);
});

it("reports disabled hooks of Claude and Gemini", () => {
  expect(allSettings.get("claude")!.findDisablingSettings?.('{"disableAllHooks": true}')).toHaveLength(1);
  const gemini = allSettings.get("gemini")!;
  expect(
    gemini.findDisablingSettings?.('{"hooksConfig": {"enabled": false, "disabled": ["haft-guard"]}}'),
  ).toHaveLength(2);
  expect(gemini.findDisablingSettings?.("{}")).toEqual([]);
});

it.each(["js", "cjs", "ts"])(
  "replaces the program guard-hook.%s for a probe without a program",
  async (ending) => {
    const program = [process.execPath, `/nowhere/guard-hook.${ending}`];
    const installed = shellLine("claude", "PreToolUse", { ...other, program, watchOnly: false });
    const { outcomes } = await probe(allSettings.get("claude")!, installed, "/nowhere/settings.json");
    expect(outcomes.missing.stderr).toContain(`guard-hook-that-is-gone.${ending}`);
  },
);

describe("an installed line", () => {
  const run = (text: string, code: number): [number | null, string, string] => {
    const program = ["/bin/sh", "-c", `printf '%s' '${text}'; echo why >&2; exit ${code}`, "guard-hook.js"];
    const made = shellLine("claude", "PreToolUse", { program, env: {}, watchdog: [], watchOnly: false });
    const { status, stdout, stderr } = spawnSync("sh", ["-c", made], { encoding: "utf8" });
    return [status, stdout, stderr];
  };

  it("forwards an answer, and adds no text to a denial of the program", () => {
    expect(run("haft:{}", 0)).toEqual([0, "{}", "why\n"]);
    expect(run("haft:{}", 2)).toEqual([2, "", "why\n"]);
  });

  it.each([
    ["haft:{}", 1],
    ["haft:{}", 137],
    ["{}", 0],
    ["", 0],
    ["", 2],
  ])("denies after %j and exit code %i", (text, code) => {
    const [status, stdout, stderr] = run(text, code);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("why\nhaft guard: this call is denied");
  });
});
