import type { Provider, SourceName } from "./sources.ts";

/** What providers make of keywords of JSON Schema: data, one row for what is said in one place. */
export interface KeywordRule {
  providers: readonly Provider[];
  keywords: readonly string[];
  /** At the top of the schema alone. Default: anywhere. */
  at?: "root";
  /** The request is refused, or the keyword is as if it were not there. */
  severity: "breaks" | "ignored";
  problem: string;
  source: SourceName;
}

/** Keywords that say something about values. Others are annotations, or belong to somebody else. */
export const ASSERTIONS = [
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "const",
  "contains",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "if",
  "items",
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "not",
  "oneOf",
  "pattern",
  "patternProperties",
  "prefixItems",
  "properties",
  "propertyNames",
  "required",
  "then",
  "type",
  "unevaluatedItems",
  "unevaluatedProperties",
  "uniqueItems",
] as const;

/** Keywords that are refused, or not looked at. */
export const KEYWORD_RULES: readonly KeywordRule[] = [
  {
    providers: ["openai-strict"],
    keywords: ["allOf", "dependentRequired", "dependentSchemas", "else", "if", "not", "then"],
    severity: "breaks",
    problem: "is not supported in strict mode",
    source: "openaiStructured",
  },
  {
    providers: ["openai-strict"],
    keywords: [
      "contains",
      "contentEncoding",
      "contentMediaType",
      "contentSchema",
      "dependencies",
      "maxContains",
      "maxProperties",
      "minContains",
      "minProperties",
      "patternProperties",
      "prefixItems",
      "propertyNames",
      "unevaluatedItems",
      "unevaluatedProperties",
      "uniqueItems",
    ],
    severity: "breaks",
    problem: "cannot be represented in strict mode",
    source: "openaiTransform",
  },
  {
    providers: ["openai-strict"],
    keywords: ["oneOf"],
    severity: "breaks",
    problem: "is not permitted in strict mode",
    source: "openaiOneOf",
  },
  {
    providers: ["openai-strict"],
    keywords: ["anyOf"],
    at: "root",
    severity: "breaks",
    problem: "may not stand at the top",
    source: "openaiStructured",
  },
  {
    providers: ["openai", "openai-strict"],
    keywords: ["allOf", "anyOf", "const", "enum", "not", "oneOf"],
    at: "root",
    severity: "breaks",
    problem: "may not stand at the top",
    source: "openaiRoot",
  },
  {
    providers: ["anthropic", "anthropic-strict"],
    keywords: ["allOf", "anyOf", "oneOf"],
    at: "root",
    severity: "breaks",
    problem: "may not stand at the top",
    source: "anthropicRoot",
  },
  {
    providers: ["gemini"],
    keywords: ["oneOf"],
    severity: "ignored",
    problem: "is read as anyOf: that only one may fit is not held",
    source: "geminiJsonSchema",
  },
];

/** Providers that say which keywords they support: what is not in the list is refused, or not looked at. */
export interface SupportedKeywords extends Omit<KeywordRule, "keywords" | "providers" | "at"> {
  provider: Provider;
  supported: readonly string[];
  /** Whether annotations, which say nothing about values, have to be in the list, too. */
  annotations: boolean;
}

export const SUPPORTED_KEYWORDS: readonly SupportedKeywords[] = [
  {
    provider: "anthropic-strict",
    supported: [
      "additionalProperties",
      "allOf",
      "anyOf",
      "const",
      "enum",
      "format",
      "items",
      "minItems",
      "pattern",
      "properties",
      "required",
      "type",
    ],
    annotations: false,
    severity: "breaks",
    problem: "is not supported in strict mode",
    source: "anthropicStructured",
  },
  {
    provider: "gemini",
    supported: [
      "additionalProperties",
      "anyOf",
      "enum",
      "format",
      "items",
      "maxItems",
      "maximum",
      "minItems",
      "minimum",
      "oneOf",
      "prefixItems",
      "properties",
      "required",
      "type",
    ],
    annotations: false,
    severity: "ignored",
    // Documented for responseJsonSchema; there is no list of its own for parametersJsonSchema.
    problem: "is not among the keywords that are supported",
    source: "geminiJsonSchema",
  },
  {
    provider: "gemini-openapi",
    supported: [
      "anyOf",
      "default",
      "description",
      "enum",
      "example",
      "format",
      "items",
      "maxItems",
      "maxLength",
      "maxProperties",
      "maximum",
      "minItems",
      "minLength",
      "minProperties",
      "minimum",
      "nullable",
      "pattern",
      "properties",
      "propertyOrdering",
      "required",
      "title",
      "type",
    ],
    annotations: true,
    severity: "breaks",
    problem: "is no field of its Schema, and unknown fields are refused",
    source: "geminiUnknownField",
  },
];

export const FIXES: readonly { keywords: readonly string[]; fix: string }[] = [
  {
    keywords: ["$defs", "$ref", "definitions"],
    fix: "Write out what is referred to where it is referred to.",
  },
  { keywords: ["$comment", "$id", "$schema", "examples"], fix: "Leave it out." },
  { keywords: ["additionalProperties"], fix: "Leave it out for this provider, or list the properties." },
  { keywords: ["allOf"], fix: "Write one object with the properties of all of them." },
  {
    keywords: ["anyOf"],
    fix: "Put the union into a property, or write one object whose parts are optional.",
  },
  { keywords: ["const"], fix: "Write enum with one value." },
  { keywords: ["enum", "not"], fix: "Put it into a property." },
  {
    keywords: ["dependencies", "dependentRequired", "dependentSchemas", "else", "if", "then"],
    fix: "Say in description which parameters belong together, and check it in execute.",
  },
  { keywords: ["oneOf"], fix: "Write anyOf." },
  { keywords: ["patternProperties"], fix: "Take a list of objects with a name and a value." },
  { keywords: ["prefixItems"], fix: "Write an object with a name for each position." },
];

/** For all others. */
export const FIX = "Leave it out for this provider, and say it in description.";
