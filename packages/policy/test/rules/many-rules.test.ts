import { expect, test } from "vitest";
import type { PolicyConfig } from "../../src/read/policy-config.ts";
import { policy } from "../fixtures.ts";

/** Processor time of this thread, in milliseconds. */
function cpuTime(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const rules = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `exec(${name}${index} *)`);

const policies = (count: number): [string, PolicyConfig][] => [
  ["denied and asked about", { deny: rules(count, "d"), ask: rules(count, "a") }],
  [
    "allowed and denied elsewhere",
    { sessions: { main: { ask: rules(count, "a") } }, deny: rules(count, "d") },
  ],
  [
    "in a list of commands",
    { exec: { preset: "careful", allow: rules(count, "p").map((rule) => rule.slice(5, -1)) } },
  ],
  ["of paths", { deny: Array.from({ length: count }, (_, index) => `read(path:d${index}/**)`) }],
  [
    "conditions of one rule",
    { deny: [`exec(${Array.from({ length: count }, () => "command:a").join(", ")})`] },
  ],
];

test.each(policies(2_000))("compiles and checks thousands of rules in linear time: %s", (_name, config) => {
  // Comparing all pairs takes ten times as long.
  expect(cpuTime(() => void policy(config).warnings.length)).toBeLessThan(5_000);
});

test("finds the covering rule among thousands of rules", () => {
  const many = rules(3_000, "d");
  const { warnings } = policy({
    deny: [...many, "exec(git push *)"],
    sessions: { main: { ask: ["exec(git push *)", "exec(git pull *)"] } },
  });
  const covered = warnings.filter(({ message }) => message.startsWith("All that"));
  expect(covered).toMatchObject([
    { path: "sessions.main.ask[0]", message: expect.stringContaining('deny[3000] ("exec(git push *)")') },
  ]);
  const { warnings: whole } = policy({
    deny: [...many, "exec"],
    sessions: { main: { ask: ["exec(git push *)"] } },
  });
  expect(whole.find(({ path }) => path === "sessions.main.ask[0]")?.message).toContain('deny[3000] ("exec")');
});

test.each([
  [
    "lists",
    Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`a${index}`, { deny: rules(10_000, "d") }])),
  ],
  ["names", Object.fromEntries(Array.from({ length: 110_000 }, (_, index) => [`a${index}`, {}]))],
])("rejects a policy with too many values: %s", (_name, agents) => {
  expect(() => policy({ agents })).toThrow(/ It has more than 100000 values, .*; shorten its lists\.$/);
});

test("rejects a policy that contains itself", () => {
  const agents: Record<string, unknown> = {};
  agents["a"] = { agents };
  expect(() => policy({ agents } as PolicyConfig)).toThrow(
    expect.objectContaining({ code: "POLICY_INVALID" }),
  );
});

test("searches suggestions for at most a hundred unknown names", () => {
  const problems = (count: number) => {
    try {
      policy({ deny: Array.from({ length: count }, () => "wirte") });
    } catch (thrown) {
      return (thrown as { details: { problems: { nearest?: string[] }[] } }).details.problems;
    }
    throw new Error("it is none");
  };
  const told = problems(3_000);
  expect(told).toHaveLength(3_000);
  expect(told.filter(({ nearest }) => nearest?.[0] === "write")).toHaveLength(100);
});
