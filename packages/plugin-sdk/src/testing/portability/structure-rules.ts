import { isObject } from "@haft/core/internal";
import { FORMATS } from "./limits.ts";
import { type Node, requiredOf } from "./measure.ts";
import type { Provider, SourceName } from "./sources.ts";

export interface Found {
  keyword: string;
  problem: string;
  fix: string;
}

export interface StructureRule {
  providers: readonly Provider[];
  severity: "breaks" | "ignored";
  source: SourceName;
  find: (node: Node) => Found | undefined;
}

const isOfType = ({ schema }: Node, type: string) =>
  schema["type"] === type || (Array.isArray(schema["type"]) && schema["type"].includes(type));

export const STRUCTURE_RULES: readonly StructureRule[] = [
  {
    providers: ["openai-strict"],
    severity: "breaks",
    source: "openaiStrictFunctions",
    find: closed,
  },
  { providers: ["anthropic-strict"], severity: "breaks", source: "anthropicStructured", find: closed },
  {
    providers: ["openai-strict"],
    severity: "breaks",
    source: "openaiStrictFunctions",
    find({ schema }) {
      if (!isObject(schema["properties"])) return undefined;
      const required = requiredOf(schema);
      const optional = Object.keys(schema["properties"]).filter((name) => !required.includes(name));
      return optional.length === 0
        ? undefined
        : {
            keyword: "required",
            problem: `does not list ${optional.map((name) => JSON.stringify(name)).join(", ")}, and in strict mode all have to be required`,
            fix: 'Require them, and let those that may be left out be null: type: ["string", "null"].',
          };
    },
  },
  { providers: ["openai"], severity: "breaks", source: "openaiItems", find: itemsMissing },
  { providers: ["openai-strict"], severity: "breaks", source: "openaiTransform", find: itemsMissing },
  {
    providers: ["openai-strict"],
    severity: "breaks",
    source: "openaiTransform",
    find: ({ schema }) =>
      Array.isArray(schema["items"])
        ? {
            keyword: "items",
            problem:
              "is a list of schemas, one for each position, which cannot be represented in strict mode",
            fix: "Write an object with a name for each position.",
          }
        : undefined,
  },
  ...(["openai-strict", "anthropic-strict"] as const).map((provider): StructureRule => ({
    providers: [provider],
    severity: "breaks",
    source: FORMATS[provider]!.source,
    find({ schema: { format } }) {
      const { formats } = FORMATS[provider]!;
      return typeof format !== "string" || formats.includes(format)
        ? undefined
        : {
            keyword: "format",
            problem: `${JSON.stringify(format)} is not among those that strict mode has: ${formats.join(", ")}`,
            fix: "Leave it out, and say it in description.",
          };
    },
  })),
  {
    providers: ["anthropic-strict"],
    severity: "breaks",
    source: "anthropicStructured",
    find: ({ schema: { minItems } }) =>
      typeof minItems !== "number" || minItems <= 1
        ? undefined
        : {
            keyword: "minItems",
            problem: "may be 0 or 1 in strict mode",
            fix: "Say in description how many there have to be.",
          },
  },
  {
    providers: ["anthropic-strict"],
    severity: "breaks",
    source: "anthropicStructured",
    find: ({ schema }) =>
      Array.isArray(schema["enum"]) &&
      schema["enum"].some((value) => typeof value === "object" && value !== null)
        ? {
            keyword: "enum",
            problem: "has lists or objects, which strict mode does not take",
            fix: "List texts, numbers, booleans or null.",
          }
        : undefined,
  },
  {
    providers: ["anthropic-strict"],
    severity: "breaks",
    source: "anthropicStructured",
    find: ({ schema: { pattern } }) =>
      typeof pattern !== "string" || !/\(\?[=!<]|\\[1-9bBk]/.test(pattern.replaceAll(/\(\?<\w+>/g, "("))
        ? undefined
        : {
            keyword: "pattern",
            problem:
              "looks ahead or behind, refers to a group or asks for the bounds of words, which strict mode does not take",
            fix: "Write it without these, or say it in description.",
          },
  },
  {
    providers: ["anthropic-strict"],
    severity: "breaks",
    source: "anthropicStructured",
    find: ({ schema: { allOf } }) =>
      Array.isArray(allOf) && allOf.some((one) => isObject(one) && one["$ref"] !== undefined)
        ? {
            keyword: "allOf",
            problem: "has a $ref, which strict mode does not take",
            fix: "Write out what it refers to.",
          }
        : undefined,
  },
  {
    providers: ["anthropic-strict"],
    severity: "breaks",
    source: "anthropicStructured",
    find: ({ isRecursive }) =>
      isRecursive
        ? {
            keyword: "$ref",
            problem: "makes the schema recursive, which strict mode does not take",
            fix: "Write out as many levels as there may be.",
          }
        : undefined,
  },
  {
    providers: ["gemini"],
    severity: "breaks",
    source: "geminiJsonSchema",
    find({ schema }) {
      const beside =
        schema["$ref"] === undefined ? [] : Object.keys(schema).filter((key) => !key.startsWith("$"));
      return beside.length === 0
        ? undefined
        : {
            keyword: "$ref",
            problem: `may not have others beside it: ${beside.join(", ")}`,
            fix: "Put them into what it refers to.",
          };
    },
  },
  {
    providers: ["gemini"],
    severity: "ignored",
    source: "geminiJsonSchema",
    find: ({ schema }) =>
      Array.isArray(schema["enum"]) &&
      schema["enum"].some((value) => typeof value !== "string" && typeof value !== "number")
        ? { keyword: "enum", problem: "is supported for texts and numbers alone", fix: "List texts." }
        : undefined,
  },
  {
    providers: ["gemini-openapi"],
    severity: "breaks",
    source: "geminiEnum",
    find: ({ schema }) =>
      Array.isArray(schema["enum"]) && schema["enum"].some((value) => typeof value !== "string")
        ? { keyword: "enum", problem: "takes texts alone", fix: 'List texts, and say type: "string".' }
        : undefined,
  },
  {
    providers: ["gemini-openapi"],
    severity: "breaks",
    source: "geminiSchema",
    find: ({ schema }) =>
      Array.isArray(schema["type"])
        ? {
            keyword: "type",
            problem: "is one type, and no list",
            fix: "Write anyOf, or nullable: true beside the one type.",
          }
        : undefined,
  },
];

function closed(node: Node): Found | undefined {
  const { schema } = node;
  if (!isOfType(node, "object") && !isObject(schema["properties"])) return undefined;
  return schema["additionalProperties"] === false
    ? undefined
    : {
        keyword: "additionalProperties",
        problem: "has to be false for every object in strict mode",
        fix: "Type.Object({ … }, { additionalProperties: false }), or z.strictObject({ … }).",
      };
}

function itemsMissing(node: Node): Found | undefined {
  const { schema } = node;
  return isOfType(node, "array") && schema["items"] === undefined && schema["prefixItems"] === undefined
    ? {
        keyword: "items",
        problem: "is missing, and a list has to say what it holds",
        fix: "Say what the list holds.",
      }
    : undefined;
}
