import type { Provider, SourceName } from "./sources.ts";

/** Limits names. */
export interface NameRule {
  providers: readonly Provider[];
  /** Names the tool, or the properties at the top of its parameters. */
  of: "tool" | "property";
  pattern: RegExp;
  words: string;
  source: SourceName;
}

export const NAME_RULES: readonly NameRule[] = [
  {
    providers: ["openai", "openai-strict"],
    of: "tool",
    pattern: /^[\w-]{1,64}$/,
    words: "letters, digits, _ and -, at most 64",
    source: "openaiFunction",
  },
  {
    providers: ["anthropic", "anthropic-strict"],
    of: "tool",
    pattern: /^[\w-]{1,64}$/,
    words: "letters, digits, _ and -, at most 64",
    source: "anthropicTools",
  },
  {
    providers: ["gemini", "gemini-openapi"],
    of: "tool",
    pattern: /^[A-Za-z_][\w.:-]{0,127}$/,
    words: "a letter or _, then letters, digits, _ . : and -, at most 128",
    source: "geminiDeclaration",
  },
  {
    providers: ["anthropic", "anthropic-strict"],
    of: "property",
    pattern: /^[\w.-]{1,64}$/,
    words: "letters, digits, _ . and -, at most 64",
    source: "anthropicKeys",
  },
  {
    providers: ["gemini-openapi"],
    of: "property",
    pattern: /^[A-Za-z_]\w{0,63}$/,
    words: "a letter or _, then letters, digits and _, at most 64",
    source: "geminiDeclaration",
  },
];

/** Limits a quantity in one tool. */
export interface LimitRule {
  providers: readonly Provider[];
  /** See `measure.ts`. */
  of: "depth" | "description" | "enumValues" | "largeEnum" | "optional" | "properties" | "texts" | "unions";
  max: number;
  keyword: string;
  words: string;
  fix: string;
  source: SourceName;
}

/** OpenAI has a special limit for text enums with more values. */
export const LARGE_ENUM = 250;

const OPENAI_STRICT = { providers: ["openai-strict"], source: "openaiStructured" } as const;
const ANTHROPIC_STRICT = { providers: ["anthropic-strict"], source: "anthropicStructured" } as const;

export const LIMIT_RULES: readonly LimitRule[] = [
  {
    providers: ["openai", "openai-strict"],
    of: "description",
    max: 1024,
    keyword: "description",
    words: "characters of the tool's description",
    fix: "Shorten it, and move what belongs to one parameter into that one's description.",
    source: "openaiDescription",
  },
  {
    ...OPENAI_STRICT,
    of: "depth",
    max: 10,
    keyword: "properties",
    words: "objects, one inside the other",
    fix: "Make the parameters flatter.",
  },
  {
    ...OPENAI_STRICT,
    of: "properties",
    max: 5000,
    keyword: "properties",
    words: "properties in all",
    fix: "Make several tools of it.",
  },
  {
    ...OPENAI_STRICT,
    of: "enumValues",
    max: 1000,
    keyword: "enum",
    words: "values of enums in all",
    fix: "Take a text, and check it in execute.",
  },
  {
    ...OPENAI_STRICT,
    of: "largeEnum",
    max: 15_000,
    keyword: "enum",
    words: `characters of an enum with more than ${LARGE_ENUM} values`,
    fix: "Take a text, and check it in execute.",
  },
  {
    ...OPENAI_STRICT,
    of: "texts",
    max: 120_000,
    keyword: "properties",
    words: "characters of names, enums and consts in all",
    fix: "Make several tools of it.",
  },
  {
    ...ANTHROPIC_STRICT,
    of: "optional",
    max: 24,
    keyword: "required",
    words: "optional parameters, of all strict tools of a request together",
    fix: "Make more of them required, or the tool not strict.",
  },
  {
    ...ANTHROPIC_STRICT,
    of: "unions",
    max: 16,
    keyword: "anyOf",
    words: "parameters with anyOf or several types, of all strict tools of a request together",
    fix: "Make them of one type, or the tool not strict.",
  },
];

/** The provider rejects other formats of texts. */
export const FORMATS: Readonly<
  Partial<Record<Provider, { formats: readonly string[]; source: SourceName }>>
> = {
  "openai-strict": {
    formats: ["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"],
    source: "openaiStructured",
  },
  "anthropic-strict": {
    formats: ["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uri", "uuid"],
    source: "anthropicStructured",
  },
};
