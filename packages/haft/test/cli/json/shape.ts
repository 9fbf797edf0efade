/**
 * The shape of a JSON value, as it is documented: a type in a notation like TypeScript's. A word (`string`, `Problem`, `"a" | "b"`,
 * `string[]`), a list of one shape, or an object: `name?` may be absent, `[name]` stands for any.
 */
export type Shape = string | readonly [Shape] | { readonly [key: string]: Shape };

/** Shapes that have a name. */
export type Names = Readonly<Record<string, Shape>>;

/** The JSON Schema of a shape: objects have no other members. */
export function toJsonSchema(shape: Shape, names: Names): Record<string, unknown> {
  if (typeof shape === "string") {
    const parts = shape.split(" | ");
    return parts.length === 1
      ? schemaOfWord(shape, names)
      : { anyOf: parts.map((part) => schemaOfWord(part, names)) };
  }
  if (isList(shape)) return { type: "array", items: toJsonSchema(shape[0], names) };
  const entries = Object.entries(shape);
  const members = entries.filter(([key]) => !key.startsWith("["));
  const others = entries.find(([key]) => key.startsWith("["))?.[1];
  return {
    type: "object",
    properties: Object.fromEntries(
      members.map(([key, each]) => [key.replace(/\?$/, ""), toJsonSchema(each, names)]),
    ),
    required: members.flatMap(([key]) => (key.endsWith("?") ? [] : [key])),
    additionalProperties: others === undefined ? false : toJsonSchema(others, names),
  };
}

function schemaOfWord(word: string, names: Names): Record<string, unknown> {
  if (word.endsWith("[]")) return { type: "array", items: schemaOfWord(word.slice(0, -2), names) };
  if (word.startsWith('"')) return { const: JSON.parse(word) as string };
  if (["true", "false"].includes(word)) return { const: word === "true" };
  if (["string", "number", "boolean", "null", "object"].includes(word)) return { type: word };
  if (word === "unknown") return {};
  const named = Object.hasOwn(names, word) ? names[word] : undefined;
  if (named === undefined) throw new Error(`No shape is called ${word}.`);
  return toJsonSchema(named, names);
}

/** A shape as people read it. */
export function shapeText(shape: Shape, indentation = ""): string {
  if (typeof shape === "string") return shape;
  if (isList(shape)) return `${shapeText(shape[0], indentation)}[]`;
  const inner = `${indentation}  `;
  const lines = Object.entries(shape).map(([key, each]) => {
    const name = key.startsWith("[") ? `[${key.slice(1, -1)}: string]` : key;
    return `${inner}${name}: ${shapeText(each, inner)};\n`;
  });
  return `{\n${lines.join("")}${indentation}}`;
}

/** The names a shape is made of, those of its names included. */
export function collectNames(shape: Shape, names: Names): string[] {
  const words =
    typeof shape === "string"
      ? shape.split(" | ").map((word) => word.replace(/(\[\])+$/, ""))
      : Object.values(shape).flatMap((each: Shape) => collectNames(each, names));
  return [
    ...new Set(
      words.flatMap((word) => {
        const named = Object.hasOwn(names, word) ? names[word] : undefined;
        return named === undefined ? [] : [word, ...collectNames(named, names)];
      }),
    ),
  ];
}

function isList(shape: Exclude<Shape, string>): shape is readonly [Shape] {
  return Array.isArray(shape);
}
