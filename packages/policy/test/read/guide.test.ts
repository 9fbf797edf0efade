import type { CallSubjects, SessionFacts } from "@haft/core";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseSelector } from "../../src/patterns/selector.ts";
import { parsePolicyConfig } from "../../src/read/parse-policy.ts";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { command, paths, policy, getProblems, session, tool } from "../fixtures.ts";

// What the guide for people says, is so.

const guide = readFileSync(new URL("../../../../docs/guides/policy.md", import.meta.url), "utf8");
const blocks = [...guide.matchAll(/```json\n(.*?)```([^`]*?\| call \| answer \|\n.*?\n\n)?/gs)];
const examples = blocks.map(([, json = "", table = ""]) => ({
  config: JSON.parse(json) as PolicyConfig,
  rows: [...table.matchAll(/^\| `(\w+) (.+?)` \| (\w+) \|$/gm)].map(([, name = "", what = "", answer]) => ({
    name,
    what,
    answer,
  })),
}));

test("has examples with expected answers", () => {
  expect(examples.length).toBeGreaterThan(5);
  expect(examples.filter(({ rows }) => rows.length >= 5)).toHaveLength(3);
});

describe.each(examples)("$config", ({ config, rows }) => {
  test("is a valid policy", () => {
    expect(parsePolicyConfig(config)).toEqual(config);
    expect(getProblems(() => policy(config))).toEqual([]);
  });

  test.each(rows)("$name $what: $answer", ({ name, what, answer }) => {
    const made = policy(config).forSession(session("main"));
    expect(made.call(tool(name), {}, subjectsOf(name, what)).effect).toBe(answer);
  });
});

describe("the guide's examples of contained commands", () => {
  const [, json = "", table = ""] =
    /```json\n([^`]*)```\s*\| call \| contained [^\n]*\n(.*?)\n\n/s.exec(guide) ?? [];
  const rows = [...table.matchAll(/^\| `(\w+) (.+?)` \| (\w+) \| (\w+) \| (\w+) \|$/gm)].map(
    ([, name = "", what = "", ...answers]) => ({ name, what, answers }),
  );
  const made = () => policy(JSON.parse(json) as PolicyConfig);

  test("have expected answers", () => expect(rows).toHaveLength(3));

  test.each(rows)("$name $what: $answers", ({ name, what, answers }) => {
    const wish = made().containment(session("main"))!;
    const inside = { ...session("main"), containment: { mode: wish.mode, network: wish.network } };
    const subjects = subjectsOf("exec", what);
    const out = { command: { ...subjects.command!, outside: "it needs more" } };
    const answer = (facts: SessionFacts, about: CallSubjects) =>
      made().forSession(facts).call(tool(name), {}, about).effect;
    expect([answer(inside, subjects), answer(session("main"), subjects), answer(inside, out)]).toEqual(
      answers,
    );
  });
});

const tables = [...guide.matchAll(/\| entry \| means \|\n(.*?)\n\n/gs)]
  .map(([, rows = ""]) => rows)
  .join("\n");
const entries = [...tables.matchAll(/^\| `(.+?)` \|/gm)].map(([, entry = ""]) => entry);

test.each(entries)("parses the entry %s", (entry) => expect(parseSelector(entry)).toHaveProperty("target"));

function subjectsOf(name: string, what: string): CallSubjects {
  if (name !== "exec") return paths(name === "write" || name === "edit" ? "write" : "read", what);
  const commands = what.split(" && ").map((each) => {
    return each.startsWith("./") ? command(each, { path: `/work/${each.slice(2)}` }) : command(each);
  });
  return { command: { text: what, cwd: "/work", commands } };
}
