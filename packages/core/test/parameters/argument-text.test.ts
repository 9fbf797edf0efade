import { fc, test } from "@fast-check/vitest";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { HaftError } from "../../src/contract/errors.ts";
import { snapshotRequest } from "../../src/kernel/stages/snapshot-request.ts";
import { MAX_ARGUMENT_CHARACTERS, parseArgumentText } from "../../src/parameters/argument-text.ts";
import { callIdentity } from "../../src/parameters/duplicates.ts";
import {
  findExceededBound,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
} from "../../src/parameters/schema/json-bounds.ts";

function failure(text: string): HaftError {
  try {
    parseArgumentText(text);
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown;
    throw thrown;
  }
  throw new Error(`parsed: ${text}`);
}

describe("unreadable texts", () => {
  it.each<[string, string]>([
    ["hello", 'unexpected "h" at position 0 (line 1, column 1)'],
    ['{"a":}', 'unexpected "}" at position 5'],
    ['{"a" 1}', 'unexpected "1" at position 5'],
    ["{a:1}", 'unexpected "a" at position 1'],
    ["{'a':1}", `unexpected "'" at position 1`],
    ['{"a":01}', 'unexpected "0" at position 5'],
    ['{"a":+1}', 'unexpected "+" at position 5'],
    ['{"a":NaN}', 'unexpected "N" at position 5'],
    ['{"a":[1}', 'unexpected "}" at position 7'],
    ['{,"a":1}', 'unexpected "," at position 1'],
    ['{"a":1,,}', 'unexpected "," at position 7'],
    ['{"a":"\\x"}', "an escape JSON does not have at position 6"],
    ['{"a":1,\n "b":tru}', 'unexpected "t" at position 13 (line 2, column 6)'],
    ['{"content":"half a fil', "the text ends inside a string at position 22"],
    ['{"path":"a", "content":', "the text ends too early at position 23"],
    ['{"path":"a"', "the text ends too early at position 11"],
    ['{"a":1}{"a":2}', "more text after the end of the value at position 7"],
    ['{"a":1} then ["x"]', "more text after the end of the value at position 8"],
  ])("are refused: %j: %s", (text, problem) => {
    const error = failure(text);
    expect(error.code).toBe("INVALID_ARGUMENTS");
    expect(error.category).toBe("input");
    expect(error.message).toContain(problem);
  });

  it("include two trailing commas", () => {
    expect(failure('{"a":[1,],}').code).toBe("INVALID_ARGUMENTS");
  });

  it("are refused fast with the position if they are long", () => {
    const error = failure(`{"content":"${"x\\n".repeat(1_000_000)}",}`);
    expect(error.message.length).toBeLessThan(300);
    expect(error.details).toMatchObject({ characters: 3_000_015, position: 3_000_013 });
  });

  it("are refused before parsing beyond the limit", () => {
    expect(failure(" ".repeat(MAX_ARGUMENT_CHARACTERS + 1)).code).toBe("ARGUMENTS_TOO_LARGE");
  });

  it("may have a hundred thousand open brackets", () => {
    expect(failure("[".repeat(100_000)).code).toBe("INVALID_ARGUMENTS");
    expect(failure('{"a":'.repeat(10_000)).code).toBe("INVALID_ARGUMENTS");
  });
});

describe("texts with one possible reading", () => {
  it.each<[string, unknown]>([
    ["", {}],
    [" \n", {}],
    ['{"a":1}</arg_value>>', { a: 1 }],
    ['{"a":1}}', { a: 1 }],
    ['{"a":1}\n```', { a: 1 }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['~~~\n{"a":1,}\n~~~\n', { a: 1 }],
    ['{"a":[1,2,],"b":3}', { a: [1, 2], b: 3 }],
    ['{"a":1 , }', { a: 1 }],
    ['{"a":"x\ny\tz"}', { a: "x\ny\tz" }],
    ['{"a":"x\ny",}</s>', { a: "x\ny" }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['""', {}],
  ])("are repaired: %j", (text, value) => {
    expect(parseArgumentText(text).value).toEqual(value);
  });

  it("come with a description of their repairs", () => {
    expect(parseArgumentText('```\n{"a":1,}\n```').repairs).toEqual([
      "removed a code fence around the arguments",
      "removed a trailing comma",
    ]);
    expect(parseArgumentText('{"a":1}').repairs).toEqual([]);
  });

  it("do not include a string without the JSON of an object", () => {
    expect(parseArgumentText('"hello"').value).toBe("hello");
    expect(parseArgumentText('"{broken"').value).toBe("{broken");
  });
});

const objectText = fc
  .dictionary(fc.string({ unit: codePoint }), fc.jsonValue(), { minKeys: 1 })
  .map((value) => JSON.stringify(value));

test.prop([objectText, fc.nat()])("never completes a truncated object", (text, seed) => {
  const cut = text.slice(0, 1 + (seed % (text.length - 1)));
  const error = failure(cut);
  expect(error.code).toBe("INVALID_ARGUMENTS");
  expect(error.details?.["position"]).toBeLessThanOrEqual(cut.length);
});

test.prop([objectText, fc.nat(), fc.string({ maxLength: 3 })])(
  "parses every JSON text to the same value as JSON.parse",
  (text, seed, noise) => {
    const at = seed % (text.length + 1);
    const damaged = text.slice(0, at) + noise + text.slice(at);
    let value: unknown;
    try {
      value = JSON.parse(damaged);
    } catch {
      value = undefined;
    }
    if (value === undefined) {
      try {
        expect(parseArgumentText(damaged).repairs).not.toEqual([]);
      } catch (thrown) {
        if (!HaftError.is(thrown)) throw thrown;
        expect(thrown.code).toBe("INVALID_ARGUMENTS");
        expect(thrown.details?.["position"]).toBeLessThanOrEqual(damaged.length);
      }
    } else expect(parseArgumentText(damaged)).toEqual({ value, repairs: [] });
  },
);

test.prop([
  fc.dictionary(fc.string(), fc.string({ unit: fc.constantFrom("a", '"', "\\", "\n", "\t", "\r", "é") }), {
    minKeys: 1,
  }),
])("accepts raw line breaks in strings", (value) => {
  const raw = JSON.stringify(value).replace(
    /(?<!\\)((?:\\\\)*)\\([nrt])/g,
    (_, slashes: string, letter: string) => slashes + { n: "\n", r: "\r", t: "\t" }[letter]!,
  );
  expect(parseArgumentText(raw).value).toEqual(value);
});

const keys = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 1]));
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const codeOf = (work: () => unknown): string => {
  try {
    work();
    return "none";
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("the limits of a call's arguments", () => {
  it("are checked before a text is parsed", () => {
    expect(findExceededBound(nested(MAX_JSON_DEPTH))).toBeUndefined();
    expect(findExceededBound(nested(MAX_JSON_DEPTH + 1))).toBe("depth");
    expect(findExceededBound(`[${"1,".repeat(MAX_JSON_VALUES - 2)}1]`)).toBeUndefined();
    expect(findExceededBound(`[${"1,".repeat(MAX_JSON_VALUES)}1]`)).toBe("values");
    expect(findExceededBound(JSON.stringify(keys(MAX_JSON_VALUES / 2 + 1)))).toBe("values");
  });

  it("ignore the content of strings", () => {
    const text = JSON.stringify({ content: `{[,:"\\`.repeat(MAX_JSON_VALUES), 'k"{': "[\\\\" });
    expect(findExceededBound(text)).toBeUndefined();
    expect(parseArgumentText(text).value).toEqual(JSON.parse(text));
    expect(findExceededBound('{"a":"unfinished')).toBeUndefined();
  });

  it("refuse many keys, many items and deep nesting in text, nested text and objects", () => {
    const many = keys(MAX_JSON_VALUES);
    const deep = nested(50_000);
    for (const text of [
      JSON.stringify(many),
      deep,
      JSON.stringify(JSON.stringify(many)),
      JSON.stringify(deep),
    ])
      expect(codeOf(() => parseArgumentText(text))).toBe("ARGUMENTS_TOO_LARGE");
    for (const args of [many, { edits: Array.from({ length: MAX_JSON_VALUES }, () => 1) }]) {
      const { problem } = snapshotRequest({ name: "edit", arguments: args });
      expect(problem).toMatchObject({ code: "ARGUMENTS_TOO_LARGE", details: { limit: MAX_JSON_VALUES } });
    }
  });

  it("prevent parsing when calls are compared", () => {
    const text = JSON.stringify(keys(MAX_JSON_VALUES));
    expect(callIdentity("edit", text)).toBe(callIdentity("edit", text));
    expect(callIdentity("edit", text)).not.toBe(callIdentity("edit", `${text} `));
    expect(() => callIdentity("edit", nested(50_000))).not.toThrow();
  });
});
