import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { checkTool } from "../../src/compose/tool-check.ts";
import { answer, makeTool, createThrower } from "../support/kernel.ts";

const throwing = createThrower(new Error("no"));
const sound = makeTool("sound");
const without = (part: string) => Object.fromEntries(Object.entries(sound).filter(([name]) => name !== part));

describe("a malformed tool", () => {
  const cases: [string, unknown, RegExp][] = [
    ["nothing", undefined, /undefined, not an object/],
    ["a string", "read", /string, not an object/],
    ["no name", without("name"), /name must match/],
    ["a name with a blank", { ...sound, name: "my tool" }, /name must match/],
    ["a name with a slash", { ...sound, name: "a/b" }, /name must match/],
    ["a name of 49 characters", { ...sound, name: "n".repeat(49) }, /at most 48/],
    ["no description", without("description"), /description is missing/],
    ["a blank description", { ...sound, description: " " }, /description is missing/],
    ["inputSchema for parameters", { ...without("parameters"), inputSchema: {} }, /inputSchema\?/],
    [
      "a misspelled key",
      { ...without("description"), descripton: "S." },
      /"descripton"; did you mean "description"\?/,
    ],
    ["another misspelled key", { ...sound, alias: { path: ["file"] } }, /"alias"; did you mean "aliases"\?/],
    // As zod and others have it, whose objects have a type of "object", too.
    [
      "a schema of another library",
      { ...sound, parameters: { type: "object", "~standard": { vendor: "zod" } } },
      /parameters is a schema of zod 3, .*withJsonSchema/,
    ],
    [
      "a schema of an older library",
      { ...sound, parameters: { type: "object", validate: () => true } },
      /parameters is a schema of another library/,
    ],
    ["parameters that are a list", { ...sound, parameters: { type: "array" } }, /object schema/],
    ["no effects", without("effects"), /effects must be a list/],
    ["an unknown effect", { ...sound, effects: ["read", "fly"] }, /effects must be a list/],
    ["no execute", without("execute"), /execute is not a function/],
    ["an MCP tool without a server", { ...sound, mcp: { tool: "x" } }, /mcp must be/],
    ["groups that are a string", { ...sound, groups: "fs" }, /groups must be a list/],
    ["aliases that are a list", { ...sound, aliases: [] }, /aliases must map/],
    ["an alias that is a string", { ...sound, aliases: { path: "file" } }, /aliases must map/],
    ["another name for nothing", { ...sound, otherNames: { other: null } }, /otherNames must map/],
    [
      "volatile arguments that are a number",
      { ...sound, progress: { volatileArguments: 3 } },
      /progress must be/,
    ],
    ["progress that is a string", { ...sound, progress: "poll" }, /progress must be/],
    [
      "a getter that throws",
      Object.defineProperty({ ...sound }, "label", { get: throwing }),
      /reading it threw: no/,
    ],
    [
      "a schema whose getter throws",
      { ...sound, parameters: Object.defineProperty({}, "type", { get: throwing }) },
      /parameters cannot be read: no/,
    ],
    ["effects that are a proxy", { ...sound, effects: new Proxy([], { get: throwing }) }, /reading it threw/],
    [
      "a function that cannot be bound",
      { ...sound, execute: Object.assign(() => answer(""), { bind: 1 }) },
      /reading it threw/,
    ],
  ];

  test.for(cases)("is reported with its problem: %s", ([_what, candidate, problem]) => {
    const check = checkTool(candidate);
    expect(check.tool).toBeUndefined();
    expect(check.problem).toMatch(problem);
  });

  test("is reported with its name if that is readable", () => {
    expect(checkTool({ name: "nameless", description: "" })).toMatchObject({ name: "nameless" });
    expect(
      checkTool({
        get name() {
          return throwing();
        },
      }),
    ).not.toHaveProperty("name");
  });
});

property.prop([fc.anything()])("nothing makes it throw", (candidate) => {
  expect(() => checkTool(candidate)).not.toThrow();
});

property.prop([
  fc.constantFrom(...Object.keys(sound), "aliases", "otherNames", "progress", "groups"),
  fc.anything(),
])("whatever one part is, the others are judged", (part, value) => {
  const { tool, problem } = checkTool({ ...sound, [part]: value });
  expect(tool === undefined).toBe(problem !== undefined);
});

describe("a valid tool", () => {
  test("is read once, so later changes have no effect", () => {
    const effects: ("read" | "write")[] = ["write"];
    let reads = 0;
    const shifty = {
      ...sound,
      effects,
      get description() {
        return `read ${++reads} times`;
      },
    };
    const { tool } = checkTool(shifty);
    effects[0] = "read";
    expect(tool!.effects).toEqual(["write"]);
    expect(tool!.description).toBe("read 1 times");
    expect(tool!.description).toBe("read 1 times");
    expect(Object.isFrozen(tool)).toBe(true);
    expect(Object.isFrozen(tool!.effects)).toBe(true);
  });

  test("can be a class whose execute keeps its this", () => {
    class Counter {
      readonly name = "counter";
      readonly description = "Counts.";
      readonly parameters = { type: "object" };
      readonly effects = [];
      #count = 0;
      execute() {
        return answer(String(++this.#count));
      }
    }
    const { tool } = checkTool(new Counter());
    const run = () => tool!.execute("1", {}, new AbortController().signal, undefined, undefined as never);
    void run();
    expect(run()).toMatchObject({ content: [{ text: "2" }] });
  });
});
