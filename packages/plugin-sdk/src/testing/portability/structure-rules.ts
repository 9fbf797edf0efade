import { isObject } from "@haft/utils";
import { FORMATS } from "./limits.ts";
import { type SchemaNode, getRequired } from "./measure.ts";
import type { Provider, SourceName } from "./sources.ts";

/** Restricts combinations of keywords. */
export interface StructureRule {
  providers: readonly Provider[];
  severity: "breaks" | "ignored";
  source: SourceName;
  keyword: string;
  /** Returns the end of a sentence that starts with the keyword. */
  problem: (node: SchemaNode) => string | false;
  fix: string;
}

const OPENAI_STRICT = { providers: ["openai-strict"], severity: "breaks" } as const;
const ANTHROPIC_STRICT = {
  providers: ["anthropic-strict"],
  severity: "breaks",
  source: "anthropicStructured",
} as const;

const CLOSED: Pick<StructureRule, "keyword" | "problem" | "fix"> = {
  keyword: "additionalProperties",
  problem: (node) =>
    (isOfType(node, "object") || isObject(node.schema["properties"])) &&
    node.schema["additionalProperties"] !== false &&
    "has to be false for every object in strict mode",
  fix: "Type.Object({ … }, { additionalProperties: false }), or z.strictObject({ … }).",
};
const WITH_ITEMS: typeof CLOSED = {
  keyword: "items",
  problem: (node) =>
    isOfType(node, "array") &&
    node.schema["items"] === undefined &&
    node.schema["prefixItems"] === undefined &&
    "is missing, and a list has to say what it holds",
  fix: "Say what the list holds.",
};

export const STRUCTURE_RULES: readonly StructureRule[] = [
  { ...OPENAI_STRICT, source: "openaiStrictFunctions", ...CLOSED },
  { ...ANTHROPIC_STRICT, ...CLOSED },
  {
    ...OPENAI_STRICT,
    source: "openaiStrictFunctions",
    keyword: "required",
    problem({ schema }) {
      const required = getRequired(schema);
      const names = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
      const optional = names.filter((name) => !required.includes(name));
      return (
        optional.length > 0 &&
        `does not list ${optional.map((name) => JSON.stringify(name)).join(", ")}, and in strict mode all have to be required`
      );
    },
    fix: 'Require them, and let those that may be left out be null: type: ["string", "null"].',
  },
  { providers: ["openai"], severity: "breaks", source: "openaiItems", ...WITH_ITEMS },
  { ...OPENAI_STRICT, source: "openaiTransform", ...WITH_ITEMS },
  {
    ...OPENAI_STRICT,
    source: "openaiTransform",
    keyword: "items",
    problem: ({ schema: { items } }) =>
      Array.isArray(items) &&
      "is a list of schemas, one for each position, which cannot be represented in strict mode",
    fix: "Write an object with a name for each position.",
  },
  ...(["openai-strict", "anthropic-strict"] as const).map((provider): StructureRule => {
    const { formats, source } = FORMATS[provider]!;
    return {
      providers: [provider],
      severity: "breaks",
      source,
      keyword: "format",
      problem: ({ schema: { format } }) =>
        typeof format === "string" &&
        !formats.includes(format) &&
        `${JSON.stringify(format)} is not among those that strict mode has: ${formats.join(", ")}`,
      fix: "Leave it out, and say it in description.",
    };
  }),
  {
    ...ANTHROPIC_STRICT,
    keyword: "minItems",
    problem: ({ schema: { minItems } }) =>
      typeof minItems === "number" && minItems > 1 && "may be 0 or 1 in strict mode",
    fix: "Say in description how many there have to be.",
  },
  {
    ...ANTHROPIC_STRICT,
    keyword: "enum",
    problem: (node) =>
      hasValue(node, (value) => typeof value === "object" && value !== null) &&
      "has lists or objects, which strict mode does not take",
    fix: "List texts, numbers, booleans or null.",
  },
  {
    ...ANTHROPIC_STRICT,
    keyword: "pattern",
    problem: ({ schema: { pattern } }) =>
      typeof pattern === "string" &&
      /\(\?[=!<]|\\[1-9bBk]/.test(pattern.replaceAll(/\(\?<\w+>/g, "(")) &&
      "looks ahead or behind, refers to a group or asks for the bounds of words, which strict mode does not take",
    fix: "Write it without these, or say it in description.",
  },
  {
    ...ANTHROPIC_STRICT,
    keyword: "allOf",
    problem: ({ schema: { allOf } }) =>
      Array.isArray(allOf) &&
      allOf.some((one) => isObject(one) && one["$ref"] !== undefined) &&
      "has a $ref, which strict mode does not take",
    fix: "Write out what it refers to.",
  },
  {
    ...ANTHROPIC_STRICT,
    keyword: "$ref",
    problem: ({ isRecursive }) =>
      isRecursive && "makes the schema recursive, which strict mode does not take",
    fix: "Write out as many levels as there may be.",
  },
  {
    providers: ["gemini"],
    severity: "breaks",
    source: "geminiJsonSchema",
    keyword: "$ref",
    problem({ schema }) {
      const beside = Object.keys(schema).filter((key) => !key.startsWith("$"));
      return (
        schema["$ref"] !== undefined &&
        beside.length > 0 &&
        `may not have others beside it: ${beside.join(", ")}`
      );
    },
    fix: "Put them into what it refers to.",
  },
  {
    providers: ["gemini"],
    severity: "ignored",
    source: "geminiJsonSchema",
    keyword: "enum",
    problem: (node) =>
      hasValue(node, (value) => typeof value !== "string" && typeof value !== "number") &&
      "is supported for texts and numbers alone",
    fix: "List texts.",
  },
  {
    providers: ["gemini-openapi"],
    severity: "breaks",
    source: "geminiEnum",
    keyword: "enum",
    problem: (node) => hasValue(node, (value) => typeof value !== "string") && "takes texts alone",
    fix: 'List texts, and say type: "string".',
  },
  {
    providers: ["gemini-openapi"],
    severity: "breaks",
    source: "geminiSchema",
    keyword: "type",
    problem: ({ schema: { type } }) => Array.isArray(type) && "is one type, and no list",
    fix: "Write anyOf, or nullable: true beside the one type.",
  },
];

function isOfType({ schema: { type } }: SchemaNode, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}

/** A schema can list values. */
function hasValue({ schema }: SchemaNode, is: (value: unknown) => boolean): boolean {
  return Array.isArray(schema["enum"]) && schema["enum"].some(is);
}
