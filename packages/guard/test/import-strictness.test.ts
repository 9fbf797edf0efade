import { fc, test } from "@fast-check/vitest";
import { decide, getAgent, guardTools } from "@haft/guard";
import { createPolicy, type PolicyConfig } from "@haft/policy";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { scaleRuns } from "../../../test/support/share.ts";
import { importClaude } from "../src/import/claude.ts";
import { importCodex } from "../src/import/codex.ts";
import { importGemini } from "../src/import/gemini.ts";
import { importOpencode } from "../src/import/opencode.ts";

// What the agent's own rules deny or ask about, the policy that is made of them never lets through: by another reading of the rules,
// written down here as their makers describe them.

type Effect = "allow" | "ask" | "deny";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "haft-import-"));
  spawnSync("git", ["init", "-q", folder]);
  mkdirSync(join(folder, "src/secrets"), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SHELLS = { claude: "Bash", codex: "Bash", gemini: "run_shell_command", opencode: "bash" } as const;
const READERS = { claude: "Read", gemini: "read_file", opencode: "read" } as const;
const EDITORS = { claude: "Edit", gemini: "replace", opencode: "edit" } as const;

async function decided(agent: string, config: PolicyConfig, tool: string, args: object): Promise<Effect> {
  const known = getAgent(agent);
  const policy = createPolicy(config, { tools: guardTools(known), partial: true });
  const spelled = { session_id: "s", cwd: folder, tool_name: tool, tool_input: args, tool, args };
  const payload = known.read(spelled, { env: {}, cwd: folder });
  const context = {
    policy,
    protectedPaths: { home: "/nowhere", haftPaths: [], env: {} },
    root: folder,
    env: process.env,
  };
  return (await decide(known, payload, context)).judgement?.effect ?? "deny";
}

const word = fc.constantFrom("status", "log", "push", "-n", "--force", "x", "a.b", "run:test");
/** Of programs that are on every machine with this repository. */
const program = fc.constantFrom("git", "ls", "cat", "sort", "node", "env");
const command = fc.tuple(program, fc.array(word, { maxLength: 3 })).map(([first, rest]) => [first, ...rest]);
const pattern = fc
  .array(fc.oneof({ weight: 3, arbitrary: word }, { weight: 2, arbitrary: fc.constant("*") }), {
    maxLength: 3,
  })
  .chain((rest) => fc.tuple(fc.oneof(program, fc.constantFrom("*", "g*", "l*s")), fc.constant(rest)))
  .map(([first, rest]) => [first, ...rest].join(" "));
const effect = fc.constantFrom<Effect>("allow", "ask", "deny");

/** `*` for any characters; ` *` at the end may be left out. */
function fits(glob: string, text: string): boolean {
  const star = (part: string) =>
    part
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll("*", ".*")
      .replaceAll("?", ".");
  const body = glob.endsWith(" *") ? `${star(glob.slice(0, -2))}(?: .*)?` : star(glob);
  return new RegExp(`^${body}$`, "s").test(text);
}

/** The strictest of the lists in which one fits. */
function strictest(
  rules: readonly { effect: Effect; pattern: string }[],
  is: (rule: string) => boolean,
  other: Effect,
): Effect {
  for (const each of ["deny", "ask", "allow"] as const)
    if (rules.some((rule) => rule.effect === each && is(rule.pattern))) return each;
  return other;
}

function expectNeverFreer(own: Effect, made: Effect, what: unknown): void {
  if (own !== "allow")
    expect(made, `${JSON.stringify(what)}: ${own} by the agent's own rules`).not.toBe("allow");
}

describe("the strictness of an imported policy", () => {
  const claudeRule = fc.tuple(effect, pattern, fc.boolean()).map(([list, text, isPrefix]) => ({
    effect: list,
    pattern: isPrefix && !text.includes("*") ? `${text}:*` : text,
  }));

  test.prop([fc.array(claudeRule, { maxLength: 5 }), fc.array(command, { minLength: 1, maxLength: 6 })], {
    numRuns: scaleRuns(60, 3),
  })("is at least that of claude for commands", async (rules, commands) => {
    const lists = Object.groupBy(rules, (rule) => rule.effect);
    const said = Object.entries(lists).map(([list, all]) => [
      list,
      all.map((rule) => `Bash(${rule.pattern})`),
    ]);
    const { config } = importClaude(
      JSON.stringify({ permissions: Object.fromEntries(said) }),
      "settings.json",
    );
    for (const argv of commands) {
      const text = argv.join(" ");
      const is = (rule: string) =>
        rule.endsWith(":*")
          ? text === rule.slice(0, -2) || text.startsWith(`${rule.slice(0, -2)} `)
          : fits(rule, text);
      const made = await decided("claude", config, SHELLS.claude, { command: text });
      expectNeverFreer(strictest(rules, is, "ask"), made, { rules, text });
    }
  });

  const path = fc
    .tuple(
      fc.constantFrom("", "./", "/", "**/", "src/"),
      fc.constantFrom(
        "secrets",
        ".env",
        "*.key",
        "**",
        "*",
        "a/**/b.ts",
        "secrets/",
        "src/*.ts",
        "x y",
        "(z)",
      ),
    )
    .map(([lead, rest]) => lead + rest);
  const file = fc.constantFrom(
    ".env",
    "src/.env",
    "secrets/a",
    "src/secrets/b/c.key",
    "a/b.ts",
    "src/a/q/b.ts",
    "src/x.ts",
    "x y",
    "src/(z)",
  );

  test.prop(
    [
      fc.array(fc.tuple(fc.constantFrom<Effect>("ask", "deny"), path), { minLength: 1, maxLength: 3 }),
      fc.array(file, { minLength: 1, maxLength: 5 }),
    ],
    { numRuns: scaleRuns(30, 3) },
  )("is at least that of claude for files, with patterns like git", async (rules, files) => {
    const lists = Object.groupBy(rules, ([list]) => list);
    const said = Object.entries(lists).map(([list, all]) => [
      list,
      all.flatMap(([, each]) => [`Read(${each})`, `Edit(${each})`]),
    ]);
    const { config } = importClaude(
      JSON.stringify({ permissions: Object.fromEntries(said) }),
      join(folder, ".claude/settings.json"),
    );
    writeFileSync(
      join(folder, ".gitignore"),
      rules.map(([, each]) => `${each.replace(/^\.\//, "/")}\n`).join(""),
    );
    const ignored = spawnSync("git", ["check-ignore", "--no-index", "--stdin"], {
      cwd: folder,
      input: files.join("\n"),
      encoding: "utf8",
    });
    const held = new Set(ignored.stdout.split("\n"));
    for (const each of files.filter((one) => held.has(one)))
      for (const tool of [READERS.claude, EDITORS.claude])
        expect(
          await decided("claude", config, tool, { file_path: join(folder, each) }),
          `${JSON.stringify(rules)}: ${each}`,
        ).not.toBe("allow");
  });

  const prefix = fc.tuple(
    fc.tuple(
      program,
      fc.array(fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 3 })), { maxLength: 2 }),
    ),
    fc.constantFrom("allow", "prompt", "forbidden"),
  );
  test.prop(
    [
      fc.array(prefix, { maxLength: 4 }),
      fc.constantFrom("on-request", "never", "untrusted"),
      fc.array(command, { minLength: 1, maxLength: 6 }),
    ],
    { numRuns: scaleRuns(60, 3) },
  )("is at least that of codex for commands", async (rules, approval, commands) => {
    const text = rules
      .map(
        ([[first, rest], decision]) =>
          `prefix_rule(pattern = ${JSON.stringify([first, ...rest])}, decision = "${decision}")\n`,
      )
      .join("");
    const { config } = importCodex([
      { file: "config.toml", text: `approval_policy = "${approval}"\nsandbox_mode = "workspace-write"\n` },
      { file: "default.rules", text },
    ]);
    for (const argv of commands) {
      const is = (decision: string) =>
        rules.some(([[first, rest], each]) => {
          const words = [[first], ...rest.map((one) => [one].flat())];
          return (
            each === decision &&
            words.every((alternatives, index) => (alternatives as string[]).includes(argv[index] ?? ""))
          );
        });
      const other = approval === "untrusted" ? "ask" : "allow";
      const own = is("forbidden") ? "deny" : is("prompt") ? "ask" : is("allow") ? "allow" : other;
      expectNeverFreer(own, await decided("codex", config, SHELLS.codex, { command: argv.join(" ") }), {
        text,
        argv,
      });
    }
  });

  const geminiRule = fc.record({
    decision: fc.constantFrom("allow", "deny", "ask_user"),
    commandPrefix: fc
      .tuple(program, fc.array(word, { maxLength: 2 }))
      .map(([first, rest]) => [first, ...rest].join(" ")),
    priority: fc.integer({ min: 0, max: 5 }),
  });
  test.prop([fc.array(geminiRule, { maxLength: 5 }), fc.array(command, { minLength: 1, maxLength: 6 })], {
    numRuns: scaleRuns(60, 3),
  })("is at least that of gemini for commands", async (rules, commands) => {
    const text = rules
      .map(
        ({ decision, commandPrefix, priority }) =>
          `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ${JSON.stringify(commandPrefix)}\ndecision = "${decision}"\npriority = ${priority}\n`,
      )
      .join("");
    const { config } = importGemini([{ file: "p.toml", text }]);
    for (const argv of commands) {
      const line = argv.join(" ");
      const [top] = rules
        .filter(({ commandPrefix }) => line === commandPrefix || line.startsWith(`${commandPrefix} `))
        // Of the same priority it is not said which one counts.
        .toSorted((one, other) => other.priority - one.priority || (one.decision === "allow" ? 1 : -1));
      const own = top === undefined || top.decision === "ask_user" ? "ask" : (top.decision as Effect);
      expectNeverFreer(own, await decided("gemini", config, SHELLS.gemini, { command: line }), {
        rules,
        line,
      });
    }
  });

  test.prop(
    [
      fc.array(fc.tuple(fc.oneof(pattern, fc.constant("*")), effect), { maxLength: 6 }),
      fc.option(effect),
      fc.array(command, { minLength: 1, maxLength: 6 }),
    ],
    {
      numRuns: scaleRuns(60, 3),
      // The first star reached over two words, and the last one stood for none.
      examples: [[[["* --force *", "deny"]], null, [["git", "status", "--force"]]]],
    },
  )(
    "is at least that of opencode for commands, where the last matching pattern decides",
    async (rules, all, commands) => {
      // Of two members with one name the last one stays, where the first one stood.
      const bash = Object.fromEntries(rules);
      const permission = { ...(all === null ? {} : { "*": all }), bash };
      const { config } = importOpencode(JSON.stringify({ permission }), "opencode.json");
      for (const argv of commands) {
        const line = argv.join(" ");
        const own = Object.entries(bash).findLast(([each]) => fits(each, line))?.[1] ?? all ?? "allow";
        expectNeverFreer(own, await decided("opencode", config, SHELLS.opencode, { command: line }), {
          permission,
          line,
        });
      }
    },
  );

  const loose = fc.constantFrom(
    "*.env",
    "*.key",
    "src/*",
    "src/*.ts",
    "secrets/*",
    "*",
    "src/secrets/**",
    "**/secrets/**",
    "a*b/c",
    "./src/x.ts",
    "src/?.ts",
  );
  test.prop([fc.array(fc.tuple(loose, effect), { maxLength: 4 }), file], { numRuns: scaleRuns(60, 3) })(
    "is at least that of opencode for files, where * matches slashes",
    async (rules, each) => {
      const map = Object.fromEntries(rules);
      const { config } = importOpencode(
        JSON.stringify({ permission: { read: map, edit: map } }),
        "opencode.json",
      );
      const own =
        Object.entries(map).findLast(([glob]) => fits(glob.replace(/^\.\//, ""), each))?.[1] ?? "allow";
      for (const tool of [READERS.opencode, EDITORS.opencode])
        expectNeverFreer(own, await decided("opencode", config, tool, { filePath: join(folder, each) }), {
          map,
          each,
        });
    },
  );
});
