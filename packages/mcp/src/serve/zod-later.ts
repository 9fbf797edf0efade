// Stands for `zod/v4` in what is published. The library makes hundreds of schemas when it is loaded, 15 ms of them, and a connection
// uses a dozen: here a schema is made when something is read of it.
import * as zod from "zod";

/** What makes a schema of a schema, so that the first one need not be there yet. */
const MORE = new Set(
  [
    [
      "optional",
      "nullable",
      "default",
      "catch",
      "describe",
      "refine",
      "superRefine",
      "transform",
      "pipe",
      "or",
    ],
    ["extend", "merge", "catchall", "loose", "strict", "strip", "pick", "omit"],
    ["min", "max", "int", "nonnegative", "trim", "url", "startsWith"],
  ].flat(),
);

/**
 * What comes as JSON has no cycles to look for, and few messages are worth a function compiled for them. It is how the schemas are made;
 * what other parts of the program make with zod, which has one configuration for all, is as it was.
 */
const PLAIN = {
  jitless: true,
  memoizer: { attach() {}, guard() {}, alloc: (_schema, _payload, empty) => empty },
} satisfies Partial<typeof zod.core.globalConfig>;

function plainly<T>(make: () => T): T {
  const { jitless = false, memoizer } = zod.config();
  zod.config(PLAIN);
  try {
    return make();
  } finally {
    Object.assign(zod.config(), { jitless, memoizer });
  }
}

type Make = (...args: never[]) => object;
type Shape = Readonly<Record<string, unknown>>;
/** What need not be made to be read. */
type Known = Readonly<Record<string, unknown>>;

/** What becomes of the shape of an object, where others are made of it. */
const RESHAPED: Readonly<Record<string, (shape: Shape, other: never) => Shape>> = {
  extend: (shape, more: Shape) => ({ ...shape, ...more }),
  merge: (shape, { shape: more }: { shape: Shape }) => ({ ...shape, ...more }),
  pick: (shape, names: Shape) => only(shape, (key) => names[key] === true),
  omit: (shape, names: Shape) => only(shape, (key) => names[key] !== true),
  catchall: (shape) => shape,
  loose: (shape) => shape,
  strict: (shape) => shape,
  strip: (shape) => shape,
};

function only(shape: Shape, isKept: (key: string) => boolean): Shape {
  return Object.fromEntries(Object.entries(shape).filter(([key]) => isKept(key)));
}

/** A schema that is made when something is read of it. */
class Later {
  readonly #make: () => object;
  /** Of one of objects: others are made of it. */
  readonly shapeOf: (() => Shape) | undefined;
  readonly known: Known;
  /** The same, where it may be left out: most members of objects are that. */
  optional: object | undefined;
  #made: object | undefined;

  constructor(make: () => object, shapeOf: (() => Shape) | undefined, known: Known) {
    this.#make = make;
    this.shapeOf = shapeOf;
    this.known = known;
  }

  get schema(): object {
    return (this.#made ??= plainly(this.#make));
  }
}

/** Of all of them: there are hundreds. */
const BEFORE_IT_IS_MADE: ProxyHandler<Later> = {
  get(target, key, itself) {
    const { shapeOf, known } = target;
    if (key === "shape" && shapeOf !== undefined) return shapeOf();
    if (typeof key === "string" && Object.hasOwn(known, key)) return known[key];
    if (typeof key !== "string" || !MORE.has(key)) return Reflect.get(target.schema, key);
    if (key === "optional") return () => (target.optional ??= optionalOf(target, itself as object));
    return (...args: never[]) => {
      const reshaped = shapeOf && RESHAPED[key];
      return later(
        () => (Reflect.get(target.schema, key) as Make).apply(target.schema, args),
        reshaped && (() => reshaped(shapeOf(), args[0]!)),
      );
    };
  },
  set: ({ schema }, key, value) => Reflect.set(schema, key, value),
  has: ({ schema }, key) => Reflect.has(schema, key),
  getPrototypeOf: ({ schema }) => Reflect.getPrototypeOf(schema),
  ownKeys: ({ schema }) => Reflect.ownKeys(schema),
  getOwnPropertyDescriptor({ schema }, key) {
    const found = Reflect.getOwnPropertyDescriptor(schema, key);
    // What the target does not have must not be said to be fixed.
    return found && { ...found, configurable: true };
  },
};

function later(make: () => object, shapeOf?: () => Shape, known: Known = {}): object {
  return new Proxy(new Later(make, shapeOf, known), BEFORE_IT_IS_MADE);
}

function optionalOf(target: Later, itself: object): object {
  return later(() => (Reflect.get(target.schema, "optional") as Make)(), undefined, { unwrap: () => itself });
}

/** One that takes nothing is always the same. */
const leaf = <M extends Make>(make: M): M => {
  let plain: object | undefined;
  return ((...args: never[]) =>
    args.length === 0 ? (plain ??= later(() => make(...args))) : later(() => make(...args))) as unknown as M;
};
const made = <M extends Make>(make: M): M =>
  ((...args: never[]) => later(() => make(...args))) as unknown as M;
const madeOf = <M extends Make>(make: M): M =>
  ((...args: never[]) =>
    later(
      () => make(...args),
      () => args[0] ?? {},
    )) as unknown as M;

export const any: typeof zod.any = leaf(zod.any);
export const array: typeof zod.array = made(zod.array);
export const boolean: typeof zod.boolean = leaf(zod.boolean);
export const discriminatedUnion: typeof zod.discriminatedUnion = made(zod.discriminatedUnion);
export const email: typeof zod.email = made(zod.email);
export const intersection: typeof zod.intersection = made(zod.intersection);
export const lazy: typeof zod.lazy = made(zod.lazy);
export const literal: typeof zod.literal = made(zod.literal);
export const looseObject: typeof zod.looseObject = madeOf(zod.looseObject);
export const number: typeof zod.number = leaf(zod.number);
export const object: typeof zod.object = madeOf(zod.object);
export const optional: typeof zod.optional = made(zod.optional);
export const preprocess: typeof zod.preprocess = made(zod.preprocess);
export const record: typeof zod.record = made(zod.record);
export const string: typeof zod.string = leaf(zod.string);
export const union: typeof zod.union = made(zod.union);
export const unknown: typeof zod.unknown = leaf(zod.unknown);
export const url: typeof zod.url = made(zod.url);
const enumeration = ((words: readonly string[], ...more: []) =>
  later(
    () => zod.enum(words, ...more),
    undefined,
    Array.isArray(words) ? { options: words } : {},
  )) as unknown as typeof zod.enum;
const nothing: typeof zod.null = made(zod.null);
export { enumeration as enum, nothing as null };
export const iso = { date: made(zod.iso.date), datetime: made(zod.iso.datetime) };
export const coerce = { number: made(zod.coerce.number) };
export { NEVER, safeParse, toJSONSchema, ZodIssueCode } from "zod";
