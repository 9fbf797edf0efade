import { Type } from "@sinclair/typebox";
import { describe, expect, it } from "vitest";
import { prepareArguments } from "../../src/parameters/prepare-parameters.ts";
import { compileValidator } from "../../src/parameters/schema/validator.ts";

const tool = {
  name: "write",
  aliases: { path: ["file"] },
  parameters: Type.Object({ path: Type.String(), options: Type.Optional(Type.Object({})) }),
};
const open = {
  name: "open",
  parameters: { type: "object", properties: { path: {} }, additionalProperties: true },
};

describe("deceptive keys", () => {
  it.each(['{"path":"a","__proto__":{"admin":true}}', '{"file":"a","__proto__":{"path":"b"}}'])(
    "are refused or harmless: %s",
    (raw) => {
      for (const each of [tool, open]) {
        expect(prepareArguments(each, raw)).toMatchObject({
          ok: false,
          error: { code: "INVALID_ARGUMENTS" },
        });
      }
      expect(Object.hasOwn(Object.prototype, "admin")).toBe(false);
      expect(({} as Record<string, unknown>)["path"]).toBeUndefined();
    },
  );

  it("stay data through repairs: an inner __proto__", () => {
    const raw = '{"file":"a","options":"{\\"__proto__\\":{\\"admin\\":true}}"}';
    const prepared = prepareArguments(tool, raw);
    const options = prepared.ok && (prepared.args["options"] as object);
    expect(options && Object.getPrototypeOf(options)).toBe(Object.prototype);
    expect((options as { admin?: unknown }).admin).toBeUndefined();
  });

  it.each(["constructor", "toString", "hasOwnProperty", "valueOf"])(
    "are neither present nor known by inheritance: %s",
    (name) => {
      const validator = compileValidator({
        type: "object",
        properties: { [name]: { type: "string" } },
        required: [name],
      });
      expect(validator.errors({})).toMatchObject([{ kind: "missing", path: name }]);
      expect(validator.check({ [name]: "x" })).toBe(true);
      expect(prepareArguments(tool, { path: "a", [name]: "x" }).ok).toBe(false);
    },
  );

  it("exclude inherited members", () => {
    class Sneaky {
      get path(): string {
        return "a";
      }
    }
    expect(prepareArguments(tool, new Sneaky()).ok).toBe(false);
    expect(prepareArguments(tool, Object.create({ path: "a" })).ok).toBe(false);
  });
});

describe("hostile values", () => {
  it("are refused: getters that throw, proxies that throw, cycles", () => {
    const cycle: Record<string, unknown> = { path: "a" };
    cycle["options"] = cycle;
    const hostile: unknown[] = [
      {
        get path(): string {
          throw new Error("boom");
        },
      },
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error("boom");
          },
          getPrototypeOf() {
            throw new Error("boom");
          },
        },
      ),
      {
        path: 1,
        options: {
          toJSON() {
            throw new Error("boom");
          },
        },
      },
      { path: Symbol("a"), x: 10n },
    ];
    for (const raw of hostile) {
      expect(prepareArguments(tool, raw)).toMatchObject({
        ok: false,
        error: { code: "INVALID_ARGUMENTS" },
      });
    }
    expect(prepareArguments(tool, cycle).ok).toBe(true);
  });

  it("are refused if they are nested beyond the stack", () => {
    const tree = compileValidator({
      $defs: { n: { type: "array", items: { $ref: "#/$defs/n" } } },
      $ref: "#/$defs/n",
    });
    let deep: unknown[] = [];
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(tree.check(deep)).toBe(false);
    expect(tree.errors(deep).length).toBeGreaterThan(0);
    const text = `{"path":"a","options":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`;
    expect(prepareArguments(tool, text)).toMatchObject({
      ok: false,
      error: { code: "ARGUMENTS_TOO_LARGE" },
    });
    const unique = compileValidator({ uniqueItems: true });
    expect(unique.check([deep, deep])).toBe(false);
  });

  it("are refused fast by schemas that multiply their work", () => {
    const bomb = {
      $defs: { b: { anyOf: [{ $ref: "#/$defs/b" }, { $ref: "#/$defs/b" }] } },
      $ref: "#/$defs/b",
    };
    expect(compileValidator(bomb).check(1)).toBe(false);
    expect(compileValidator({ $ref: "#" }).check(1)).toBe(false);
    expect(compileValidator({ $ref: "#" }).errors(1).length).toBeGreaterThan(0);
  });

  it("lead to a short message for many issues", () => {
    const args = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, index) => [`key${index}`.repeat(10), "x"]),
    );
    const prepared = prepareArguments(tool, args);
    expect(prepared.ok).toBe(false);
    expect(
      !prepared.ok && JSON.stringify([prepared.error.message, prepared.error.details]).length,
    ).toBeLessThan(30_000);
  });

  it("are not repaired endlessly: a number in 100,000 items of JSON text", () => {
    const list = { name: "list", parameters: Type.Object({ items: Type.Array(Type.Array(Type.Integer())) }) };
    const items = Array.from({ length: 100_000 }, () => "[1]");
    expect(prepareArguments(list, { items }).ok).toBe(false);
  });
});
