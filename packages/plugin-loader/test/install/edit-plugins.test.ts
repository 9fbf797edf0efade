import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { deletePlugin, insertPlugin } from "../../src/install/edit-plugins.ts";

const lines = (...all: string[]) => `${all.join("\n")}\n`;

describe("adding a plugin leaves the rest of the text unchanged", () => {
  test.each<[string, string, string]>([
    ["nothing yet", "", lines("plugins:", "  - new")],
    ["comments alone", lines("# mine"), lines("# mine", "plugins:", "  - new")],
    [
      "other keys, odd spaces and comments",
      lines("# top", "policy:   { deny: [bash]   }   # why", "", "", "model:", "   contextTokens:   5"),
      lines(
        "# top",
        "policy:   { deny: [bash]   }   # why",
        "",
        "",
        "model:",
        "   contextTokens:   5",
        "plugins:",
        "  - new",
      ),
    ],
    ["no line end at the end", "roots: {}", lines("roots: {}", "plugins:", "  - new")],
    [
      "a list of blocks, with comments",
      lines(
        "plugins:",
        "    # first",
        "    - one  # stays",
        "    - use: two",
        "      config: { a: 1 }",
        "",
        "# later",
        "policy: {}",
      ),
      lines(
        "plugins:",
        "    # first",
        "    - one  # stays",
        "    - use: two",
        "      config: { a: 1 }",
        "    - new",
        "",
        "# later",
        "policy: {}",
      ),
    ],
    [
      "a list that is not indented",
      lines("plugins:", "- one", "model: {}"),
      lines("plugins:", "- one", "- new", "model: {}"),
    ],
    [
      "an empty list",
      lines("plugins: [] # none", "model: {}"),
      lines("plugins:", "  - new # none", "model: {}"),
    ],
    ["a list in a line", lines("plugins: [ one,two ]"), lines('plugins: [ one,two, "new" ]')],
    [
      "lines that end as on Windows",
      "model: {}\r\nplugins:\r\n  - one\r\n",
      "model: {}\r\nplugins:\r\n  - one\r\n  - new\r\n",
    ],
    ["nothing in JSON", "{}\n", '{\n  "plugins": ["new"]\n}\n'],
    [
      "JSON without plugins",
      '{\n  "model": {"images": false}\n}\n',
      '{\n  "model": {"images": false},\n  "plugins": ["new"]\n}\n',
    ],
    ["JSON in a line", '{"plugins":["one"]}', '{"plugins":["one", "new"]}'],
    [
      "JSON in lines",
      '{\n\t"plugins": [\n\t\t"one" # stays\n\t]\n}',
      '{\n\t"plugins": [\n\t\t"one", # stays\n\t\t"new"\n\t]\n}',
    ],
    [
      "a comma that stands there already",
      '{"plugins": [\n  "one",\n]}',
      '{"plugins": [\n  "one",\n  "new"\n]}',
    ],
    ["an empty list in JSON", '{"plugins": [], "model": {}}', '{"plugins": ["new"], "model": {}}'],
  ])("%s", async (_, before, after) => {
    expect(await insertPlugin(before, "new")).toBe(after);
  });

  test.each([
    ["what an anchor brings", "x: &list [one]\nplugins: *list\n"],
    ["no list", "plugins: one\n"],
    ["no map", "- one\n"],
    ["the end of a document", "model: {}\n...\n"],
  ])("leaves %s to people", async (_, text) => {
    expect(await insertPlugin(text, "new")).toBeUndefined();
  });
});

describe("removing a plugin", () => {
  test.each<[string, string, number, string]>([
    [
      "of blocks",
      lines("plugins:", "  - one # 1", "  # about two", "  - two", "model: {}"),
      0,
      lines("plugins:", "  # about two", "  - two", "model: {}"),
    ],
    [
      "with its settings",
      lines("plugins:", "  - one", "  - use: two", "    config:", "      a: 1", "", "# later", "model: {}"),
      1,
      lines("plugins:", "  - one", "", "# later", "model: {}"),
    ],
    [
      "the only one",
      lines("plugins:", "  # mine", "  - one", "model: {}"),
      0,
      lines("plugins: []", "  # mine", "model: {}"),
    ],
    ["of a line, the first", "plugins: [one, two]\n", 0, "plugins: [two]\n"],
    ["of a line, the last", "plugins: [one, two]\n", 1, "plugins: [one]\n"],
    [
      "of JSON in lines",
      '{\n  "plugins": [\n    "one",\n    "two"\n  ]\n}\n',
      0,
      '{\n  "plugins": [\n    "two"\n  ]\n}\n',
    ],
    [
      "of JSON in lines, the last",
      '{\n  "plugins": [\n    "one",\n    "two"\n  ]\n}\n',
      1,
      '{\n  "plugins": [\n    "one"\n  ]\n}\n',
    ],
    ["of JSON, the only one", '{"plugins": ["one"]}', 0, '{"plugins": []}'],
  ])("%s", async (_, before, index, after) => {
    expect(await deletePlugin(before, index)).toBe(after);
  });
});

const name = fc.stringMatching(/^[a-z@][a-z/.-]{0,12}$/);
const entry = fc.oneof(
  name,
  fc.record({
    use: fc.stringMatching(/^[a-z]{1,8}$/),
    config: fc.record({ on: fc.boolean(), text: fc.string({ maxLength: 9 }) }),
  }),
);

property.prop([fc.array(entry, { maxLength: 5 }), name, fc.nat(4), fc.boolean()])(
  "whatever stands there: what is written back says that and no more",
  async (list, added, at, asJson) => {
    const { stringify } = await import("yaml");
    const config = { model: { images: true }, plugins: list, policy: { deny: ["x"] } };
    const text = asJson ? JSON.stringify(config, undefined, 2) : stringify(config);
    const more = await insertPlugin(text, added);
    expect(parse(more!)).toEqual({ ...config, plugins: [...list, added] });
    expect(parse((await deletePlugin(more!, Math.min(at, list.length)))!)).toEqual({
      ...config,
      plugins: [...list, added].toSpliced(Math.min(at, list.length), 1),
    });
  },
);
