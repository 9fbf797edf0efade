import type { Provider, SourceName } from "./sources.ts";

/** Data: one row for each statement of a source. */
export interface KeywordRule {
  providers: readonly Provider[];
  keywords: readonly string[];
  /** Only at the top of the schema. Default: anywhere. */
  at?: "root";
  /** The provider rejects the request, or ignores the keyword. */
  severity: "breaks" | "ignored";
  problem: string;
  source: SourceName;
}

/** These restrict values. Other keywords are annotations or extensions. */
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

/** These providers list supported keywords. They reject or ignore other keywords. */
export interface SupportedKeywords extends Omit<KeywordRule, "keywords" | "providers" | "at"> {
  provider: Provider;
  supported: readonly string[];
  /** The list must also contain annotations, which do not restrict values. */
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
    // Documented for responseJsonSchema; parametersJsonSchema has no separate list.
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

export const FIX = "Leave it out for this provider, and say it in description.";
