import { describe, expect, test } from "vitest";
import * as zod from "zod";
import * as later from "../../src/serve/zod-later.ts";

/** The same schema, made at once and later. */
function both(make: (z: typeof zod) => zod.ZodType): [zod.ZodType, zod.ZodType] {
  return [make(zod), make(later as unknown as typeof zod)];
}

const SAMPLES: [string, (z: typeof zod) => zod.ZodType][] = [
  ["an object", (z) => z.object({ a: z.string().min(2).optional(), b: z.array(z.number().int()) }).strict()],
  ["one that lets more through", (z) => z.looseObject({ a: z.union([z.string(), z.null()]) })],
  [
    "one that is extended",
    (z) =>
      z
        .object({ a: z.string() })
        .extend({ b: z.literal("x") })
        .catchall(z.unknown()),
  ],
  [
    "one that is merged with another",
    (z) => z.object({ a: z.string() }).merge(z.object({ b: z.array(z.number()) }).strip()),
  ],
  ["one that drops the rest", (z) => z.looseObject({ a: z.string() }).strip()],
  [
    "one of another's shape",
    (z) => z.object({ ...z.object({ a: z.string() }).shape, b: z.enum(["x", "y"]) }),
  ],
  [
    "a union that is told apart",
    (z) =>
      z.discriminatedUnion("a", [
        z.object({ a: z.literal("x") }),
        z.object({ a: z.literal("y"), b: z.boolean() }),
      ]),
  ],
  ["an enumeration with a message of its own", (z) => z.enum(["x", "y"], { error: "x or y" })],
  [
    "an enumeration of an object's values",
    (z) => z.object({ a: z.enum({ One: "x", Two: "y" }, "one or two") }),
  ],
  ["a record", (z) => z.record(z.string(), z.object({ a: z.iso.datetime({ offset: true }) }))],
  [
    "an intersection",
    (z) => z.intersection(z.object({ a: z.string() }), z.object({ b: z.number().catch(3) })),
  ],
  [
    "one of itself",
    (z) => {
      const node: zod.ZodType = z.lazy(() => z.object({ a: z.string(), b: node.optional() }));
      return node;
    },
  ],
];

test("one that takes nothing is made once, and what is made of it changes nothing about it", () => {
  const z = later as unknown as typeof zod;
  expect(z.string()).toBe(z.string());
  expect(z.string().optional()).toBe(z.string().optional());
  const named = z.string().describe("a name").min(2);
  expect(named.description).toBe("a name");
  expect(named.safeParse("a").success).toBe(false);
  expect(z.string().description).toBeUndefined();
  expect(z.string().safeParse("a").success).toBe(true);
  const object = z.object({ a: z.string().optional(), b: z.string().optional().default("b") });
  expect(object.parse({})).toEqual({ b: "b" });
  expect(z.string({ error: "no text" }).safeParse(1).error!.issues[0]!.message).toBe("no text");
  expect(z.string().safeParse(1).error!.issues[0]!.message).not.toBe("no text");
});

test("the shape of what is made of another is known as that of zod is", () => {
  const shapes = (z: typeof zod) => {
    const one = z.object({ a: z.string(), b: z.number() });
    const other = z.object({ b: z.boolean(), c: z.null() });
    const all = [
      one.extend({ b: z.string() }),
      one.merge(other),
      one.pick({ a: true }),
      one.omit({ a: true }).strict(),
      one.strip().catchall(z.string()).extend({ d: z.unknown() }),
      other.loose().merge(one.pick({ b: true })),
    ];
    return all.map(({ shape }) =>
      Object.entries(shape).map(([key, schema]) => [key, (schema as zod.ZodType).def.type]),
    );
  };
  expect(shapes(later as unknown as typeof zod)).toEqual(shapes(zod));
});

const VALUES: unknown[] = [
  undefined,
  null,
  "x",
  {},
  { a: "x" },
  { a: "xy", b: [1] },
  { a: "xy", b: [1.5], c: true },
  { a: "y", b: true },
  { a: "x", b: "x" },
  { a: "x", b: "z", c: 1 },
  { a: "x", b: { a: "y" } },
  { a: "x", b: { a: 5 } },
  { one: { a: "2026-01-01T00:00:00Z" }, two: { a: "never" } },
  { one: { a: "2026-01-01T00:00:00+02:00" } },
];

describe("schemas that are made when they are used", () => {
  test.each(SAMPLES)("%s answers as it does otherwise", (_, make) => {
    const [atOnce, whenUsed] = both(make);
    const answers = VALUES.map((value) => atOnce.safeParse(value));
    expect(VALUES.map((value) => whenUsed.safeParse(value))).toStrictEqual(answers);
    expect(answers.some(({ success }) => success)).toBe(true);
    expect(answers.some(({ success }) => !success)).toBe(true);
  });

  test("nothing is made before it is used, and then once", () => {
    let made = 0;
    const inner = later.lazy(() => {
      made += 1;
      return zod.string();
    });
    const schema = later.object({ a: inner }).extend({ b: later.string().optional() });
    expect(made).toBe(0);
    expect([schema.safeParse({ a: "x" }).success, schema.safeParse({ a: 5 }).success]).toEqual([true, false]);
    expect(made).toBe(1);
  });

  test("it is a schema for whoever asks what it is", () => {
    const schema = later.object({ a: later.string() });
    expect("_zod" in schema).toBe(true);
    expect(schema instanceof zod.ZodObject).toBe(true);
    expect(Object.keys(schema.shape)).toEqual(["a"]);
    expect(zod.toJSONSchema(schema)).toMatchObject({
      properties: { a: { type: "string" } },
      required: ["a"],
    });
  });

  test("what others make with zod is as it was", () => {
    const before = { ...zod.config() };
    expect(later.object({ a: later.string() }).safeParse({ a: "x" }).success).toBe(true);
    expect({ ...zod.config() }).toEqual({ jitless: false, ...before });
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const node: zod.ZodType = zod.object({ self: zod.lazy(() => node) });
    expect(node.safeParse(circle).success).toBe(true);
  });
});

test("what a schema wraps, and the words of a list, are read without making it", () => {
  const z = later as unknown as typeof zod;
  const words = z.enum(["x", "y"]);
  const { shape } = z.object({ a: words.optional() });
  expect(shape.a.unwrap()).toBe(words);
  expect(words.options).toEqual(["x", "y"]);
  expect(shape.a.unwrap().safeParse("z").success).toBe(false);
  expect(shape.a.safeParse(undefined).success).toBe(true);
});
