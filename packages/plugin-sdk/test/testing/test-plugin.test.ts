import { expect, test } from "vitest";
import { z } from "zod";
import { definePlugin, defineTool, HaftError, text, Type } from "../../src/index.ts";
import { type CheckResult, createTestSession, testPlugin } from "../../src/testing/index.ts";
import { faultyPlugin } from "./fixtures/faulty-plugin/plugin.ts";

/** As little as shows what is meant: the sandbox has tests of its own. */
const FEW = { seed: 1, runs: 12, callMs: 1_000, sandbox: false };
const findings = (checks: readonly CheckResult[]) => checks.filter(({ status }) => status !== "ok");

const count = defineTool({
  name: "count_lines",
  description: "Counts the lines of a text file of the workspace.",
  parameters: Type.Object({ path: Type.String({ description: "The file." }) }),
  effects: ["read"],
  async execute(_id, { path }, signal, _onUpdate, { workspace }) {
    const { bytes } = await workspace.fs.read(path, { signal });
    return { content: [text(`${new TextDecoder().decode(bytes).split("\n").length}`)], details: {} };
  },
});

test("a plugin with ten mistakes has a finding for each, with a fix", async () => {
  const report = await testPlugin(faultyPlugin, { ...FEW, runs: 30, callMs: 2_000 });
  const found = findings(report.checks);
  expect(found.every(({ fix }) => fix !== undefined)).toBe(true);
  expect(
    new Set(found.map(({ check, where = "" }) => `${check} ${/^\w*/.exec(where)![0]}`)).size,
  ).toBeGreaterThanOrEqual(10);
  // What depends on the machine is left out.
  const text = report.text.replaceAll(/\d+ ms/g, "… ms").replaceAll(/ended (before|soon).*/g, "ended …");
  expect(text).toMatchSnapshot();
  expect(() => report.assert()).toThrow(/ten-mistakes has problems/);
});

test("a plugin without mistakes has none", async () => {
  const report = await testPlugin(definePlugin({ id: "lines", tools: [count] }), FEW);
  expect(findings(report.checks).filter(({ check }) => check !== "sandbox")).toEqual([]);
  expect(report).toMatchObject({ ok: true, plugin: "lines", seed: 1 });
  report.assert();
});

test("the same seed makes the same calls, and another seed makes others", async () => {
  const callsOf = async (seed: number) => {
    const calls: string[] = [];
    const onCall = (tool: string, args: unknown) => void calls.push(tool + JSON.stringify(args));
    await testPlugin(definePlugin({ id: "lines", tools: [count] }), { ...FEW, seed, onCall });
    return calls;
  };
  const [one, again, other] = [await callsOf(1), await callsOf(1), await callsOf(2)];
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
});

test("reports the name of a tool of Haft, unless the plugin replaces it", async () => {
  const read = defineTool({
    name: "read",
    description: "Reads the news of one day.",
    parameters: Type.Object({}),
    effects: [],
    execute: () => ({ content: [text("none")], details: {} }),
  });
  const namesOf = async (replaces: string[]) => {
    const { checks } = await testPlugin(definePlugin({ id: "news", tools: [read], replaces }), FEW);
    return checks.filter(({ check, status }) => check === "names" && status === "problem");
  };
  expect(await namesOf([])).toMatchObject([{ where: "read", fix: expect.stringContaining("Rename") }]);
  expect(await namesOf(["read"])).toEqual([]);
});

test("shows a minimal call that breaks a tool", async () => {
  const picky = defineTool({
    name: "picky",
    description: "Takes short names and no others.",
    parameters: Type.Object({
      list: Type.Array(Type.Object({ name: Type.String(), size: Type.Optional(Type.Integer()) })),
      more: Type.Optional(Type.String()),
    }),
    effects: [],
    execute: (_id, { list }) => {
      if (list.some(({ name }) => name.length > 3)) throw new TypeError("too long");
      return { content: [text("fine")], details: {} };
    },
  });
  const { checks } = await testPlugin(definePlugin({ id: "picky", tools: [picky] }), FEW);
  const broken = checks.find(({ check }) => check === "arguments")!;
  expect(broken).toMatchObject({ status: "problem", message: expect.stringContaining("too long") });
  const shown = JSON.parse(/^picky\((.*)\)$/.exec(broken.where!)![1]!) as { list: { name: string }[] };
  expect(Object.keys(shown)).toEqual(["list"]);
  expect(shown.list).toHaveLength(1);
  expect(Object.keys(shown.list[0]!)).toEqual(["name"]);
  expect(shown.list[0]!.name.length).toBeLessThanOrEqual(6);
});

test.each([
  [
    "an error with a code and advice",
    () => new HaftError("NO_CITY", "No.", { category: "input", fix: "Another." }),
    "ok",
  ],
  ["an error without", () => new Error("no such city"), "warning"],
  ["a defect", () => new TypeError("x is undefined"), "problem"],
  ["a text", () => "no such city", "problem"],
])("%s counts as it should", async (_, make, status) => {
  const tool = { ...count, effects: [], execute: () => Promise.reject(make()) };
  const { checks } = await testPlugin(definePlugin({ id: "throws", tools: [tool] }), FEW);
  expect(checks.find(({ check }) => check === "arguments")).toMatchObject({ status });
});

test("a tool that waits for the network stops when it is aborted", async () => {
  const sleepy = {
    ...count,
    effects: [],
    parameters: Type.Object({}),
    execute: (_id: string, _args: object, signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(new Error("ended")))),
  };
  const { checks } = await testPlugin(definePlugin({ id: "sleepy", tools: [sleepy] }), FEW);
  expect(checks.find(({ check }) => check === "abort")).toMatchObject({
    status: "ok",
    message: "ended soon after it was aborted.",
  });
});

test("reports a plugin without tools, and a schema without valid values", async () => {
  const none = await testPlugin(definePlugin({ id: "none", tools: [] }), FEW);
  expect(findings(none.checks)).toMatchObject([{ check: "composition", status: "warning" }]);
  const impossible = {
    ...count,
    parameters: Type.Object({ n: Type.Integer({ minimum: 2, maximum: 1, description: "None." }) }),
  };
  const { checks } = await testPlugin(definePlugin({ id: "impossible", tools: [impossible] }), FEW);
  expect(checks.find(({ check }) => check === "arguments")).toMatchObject({ status: "warning" });
});

const needy = (configSchema: object) =>
  definePlugin({
    id: "needy",
    configSchema,
    tools: [
      {
        names: ["tell"],
        effects: [],
        factory: ({ config }) =>
          defineTool({
            name: "tell",
            description: "Tells what the plugin was given.",
            parameters: Type.Object({}),
            effects: [],
            execute: () => ({ content: [text(JSON.stringify(config))], details: {} }),
          }),
      },
    ],
  });

test.each<[string, object]>([
  [
    "of every kind",
    Type.Object({
      apiKey: Type.String({ minLength: 8, "x-secret": true }),
      region: Type.String({ pattern: "^[a-z]{2}-[0-9]+$" }),
      url: Type.String(),
      count: Type.Integer({ minimum: 3 }),
      inner: Type.Object({ mode: Type.Union([Type.Literal("a"), Type.Literal("b")]) }),
    }),
  ],
  // No pattern of the generator's leads there.
  ["of an example", Type.Object({ id: Type.String({ pattern: "^(?=x)x+$", examples: ["xx"] }) })],
  [
    "of an example of all",
    Type.Object({ id: Type.String({ pattern: "^(?=x)x+$" }) }, { examples: [{ id: "xxx" }] }),
  ],
  [
    "of an object with a default that lacks a key",
    Type.Object({ login: Type.Object({ token: Type.String({ "x-secret": true }) }, { default: {} }) }),
  ],
  ["of a library", z.object({ token: z.string().min(4), port: z.number().int().min(1).max(9) })],
])("required configuration is made from its schema: %s", async (_, configSchema) => {
  const { checks, ok, samples } = await testPlugin(needy(configSchema), FEW);
  expect(findings(checks)).toEqual([]);
  expect(checks[0]).toMatchObject({ check: "config", status: "ok" });
  expect({ ok, called: Object.keys(samples) }).toEqual({ ok: true, called: ["tell"] });
});

test("reports a missing configuration, with a fix", async () => {
  const odd = z.object({ token: z.string() }).refine(({ token }) => token === "of my server");
  const { checks } = await testPlugin(needy(odd), FEW);
  expect(findings(checks)[0]).toMatchObject({
    check: "config",
    status: "problem",
    fix: expect.stringContaining("examples"),
  });
  const given = await testPlugin(needy(odd), { ...FEW, config: { token: "of my server" } });
  expect(findings(given.checks)).toEqual([]);
});

const asks = defineTool({
  name: "ask",
  description: "Asks a server for its temperature.",
  parameters: Type.Object({}),
  effects: ["network"],
  hosts: ["api.example.com"],
  async execute(_id, _args, signal, _onUpdate, { fetch }) {
    const response = await fetch("https://api.example.com/", { signal });
    const said = (await response.json().catch(() => undefined)) as { celsius?: unknown } | null | undefined;
    if (typeof said?.celsius !== "number") throw new HaftError("SERVER_ODD", "Nonsense.", { fix: "Wait." });
    return { content: [text(`${said.celsius}`)], details: {} };
  },
});

test.each(["https://api.example.com/*", "*"])(
  "answers that were named are given in every check: %s",
  async (pattern) => {
    const network = { [pattern]: () => Response.json({ celsius: 7 }) };
    const plugin = definePlugin({ id: "asks", tools: [asks] });
    const { checks, samples } = await testPlugin(plugin, { ...FEW, network });
    expect(findings(checks).filter(({ status }) => status !== "skipped")).toEqual([]);
    expect(samples["ask"]).not.toEqual([]);
  },
);

const tool = (more: object) =>
  defineTool({
    name: "one",
    description: "Does one thing, and tells its result.",
    parameters: Type.Object({ name: Type.String({ description: "Any." }) }),
    effects: [],
    execute: async () => ({ content: [text("done")], details: {} }),
    ...more,
  });

test.each<[string, object, string, RegExp]>([
  [
    "an output that is not JSON",
    {
      parameters: z.object({
        day: z
          .string()
          .describe("Any.")
          .transform((day) => new Date(day)),
      }),
    },
    "arguments",
    /cannot be called|reached execute/,
  ],
  [
    "a default of another type",
    { parameters: Type.Object({ count: Type.Integer({ default: "three" as never, description: "Any." }) }) },
    "schema",
    /rejects the default "three"/,
  ],
  [
    "a loop without a pause",
    {
      execute: () => {
        for (const start = process.cpuUsage(); process.cpuUsage(start).user < 1_300_000;);
        return { content: [text("done")], details: {} };
      },
    },
    "arguments",
    /blocked its process/,
  ],
  [
    "an update without content",
    {
      execute: async (_id: string, _args: object, _signal: unknown, onUpdate: (partial: unknown) => void) => {
        onUpdate(undefined);
        return { content: [text("done")], details: {} };
      },
    },
    "arguments",
    /onUpdate/,
  ],
  ["a deadline that is a text", { deadlineMs: "5s" }, "composition", /deadlineMs/],
  ["a misspelled repetition", { progress: { identicalRepeat: "supress" } }, "composition", /identicalRepeat/],
])("reports %s as a problem", async (_, more, check, message) => {
  const { problems } = await testPlugin(definePlugin({ id: "odd", tools: [tool(more)] }), FEW);
  expect(problems).toContainEqual(
    expect.objectContaining({
      check,
      message: expect.stringMatching(message) as string,
      fix: expect.any(String) as string,
    }),
  );
});

test("accepts closed nested objects, as the guide advises", async () => {
  const parameters = z.object({ o: z.strictObject({ x: z.number().describe("Any.") }).describe("Any.") });
  const { problems } = await testPlugin(definePlugin({ id: "closed", tools: [tool({ parameters })] }), FEW);
  expect(problems).toEqual([]);
});

test.each([undefined, {}, "odd", tool({})])("rejects a plugin that is none: %o", async (plugin) => {
  await expect(testPlugin(plugin as never)).rejects.toMatchObject({ code: "INVALID_OPTIONS" });
});

test("accepts a tool with the name of a built-in tool in each kind of session", async () => {
  const plugin = definePlugin({ id: "odd", tools: [tool({ name: "read" })] });
  for (const kind of ["main", "group", "sandboxed"] as const) {
    await using session = await createTestSession(plugin, { kind, workspace: "memory" });
    expect(await session.call("read", { name: "a" })).toMatchObject({ kind: "ok" });
  }
});
