import type { AnyTool } from "@haft/core";
import { checkPortability } from "../../packages/plugin-sdk/src/testing/portability/check-portability.ts";
import {
  KEYWORD_RULES,
  SUPPORTED_KEYWORDS,
} from "../../packages/plugin-sdk/src/testing/portability/keyword-rules.ts";
import {
  FORMATS,
  LIMIT_RULES,
  NAME_RULES,
} from "../../packages/plugin-sdk/src/testing/portability/limits.ts";
import {
  type Provider,
  PROVIDERS,
  type SourceName,
  SOURCES,
} from "../../packages/plugin-sdk/src/testing/portability/sources.ts";

/** Libraries that were tried: name in the catalogue, what to write, what comes of it. */
const LIBRARIES: readonly [name: string, written: string, result: string][] = [
  ["@sinclair/typebox", "`Type.Object({ … })` of `@haft/plugin-sdk`", "is JSON Schema as it is"],
  ["zod", "`z.object({ … })`", "taken; from zod 4.2 on"],
  [
    "zod",
    '`z.toJSONSchema(schema, { io: "input" })` of a schema of `zod/mini`',
    "taken, and the schema judges",
  ],
  [
    "zod-3",
    "`z.object({ … })`",
    "refused: zod 3 has no JSON Schema. `withJsonSchema(schema, zodToJsonSchema(schema))`",
  ],
  ["valibot", "`v.object({ … })`", "refused: the JSON Schema is in another package"],
  ["@valibot/to-json-schema", "`toStandardJsonSchema(v.object({ … }))`", "taken"],
  ["arktype", "`type({ … })`", "taken"],
  ["arktype-2.1", "`type({ … })`", "taken, by its own `toJsonSchema`"],
];

const HEAD = `<!-- Made by "npm run verify:docs -- --update" from scripts/lib/schemas-page.ts and packages/plugin-sdk/src/testing/portability. -->

# Schemas

What \`parameters\` of a tool may be, what becomes of it, and what providers of models make of it. How to write one:
[the guide](../guides/write-a-plugin.md#parameters).

## Libraries

| package | tried with | written | |
| --- | --- | --- | --- |
`;

const LIFE = `
Any other library that follows [Standard Schema](https://standardschema.dev) is taken in the same order: the JSON Schema of its
input by \`~standard.jsonSchema\`, else the library's own \`toJsonSchema\`, else an error when tools are composed that names the library
and the way out. \`withJsonSchema(schema, jsonSchema)\` of \`@haft/plugin-sdk\` is a way out for all of them.

What happens to the arguments of a call, in this order:

1. Text is parsed, aliases get their names, and what has only one reading is repaired, guided by the JSON Schema.
2. They are checked by the JSON Schema. For a schema of a library that is advice: it may take what it does not tell
   (\`z.preprocess\`, \`z.coerce\`). A name that the JSON Schema does not have at its top is refused in any case, and not dropped.
3. The library's \`validate\` has the last word, at once or within 15 s. What it makes of the arguments, defaults and transforms included,
   is what policy, loop guard, ledger and \`execute\` see. It has to be JSON: a \`Date\`, a \`Map\`, an instance, a function,
   \`undefined\`, \`NaN\` or a circle is \`TOOL_INVALID\`, which names the path. Nothing has run then. Defaults that are another value each
   time (an id, the time) make every call a new one for duplicates, loops and grants: name them in \`progress.volatileArguments\`.

## Limits

A schema is read once, when tools are composed; what models and calls get is a copy. One that breaks a limit, or throws when it is
read, costs its tool alone; \`session.diagnostics()\` and \`haft plugins check\` name the place.

| | |
| --- | --- |
| size | 1,000,000 characters of names and values |
| depth | 64 schemas, one inside the other |
| \`$ref\` | within the schema; nothing is fetched. Not to itself for the same value, and not so that references multiply beyond 100,000 |
| values | JSON. \`undefined\` members are left out; functions, BigInts, dates, regular expressions and instances are refused |
| names | not \`__proto__\` |
| \`pattern\` | a check of arguments that may take long is watched, and ended after 250 ms; then they are refused, and the error says so. Checks that were ended may take a second in all, which comes back at a tenth of the time that passes. On Node; elsewhere as far as \`node:vm\` has timeouts |
| \`patternProperties\` | 100 in one object |
| one check of arguments | follows 1,000,000 references, 200 one inside the other, and tries 20,000,000 alternatives of \`anyOf\` and \`oneOf\`; beyond that the arguments are refused |
| \`format\` | an annotation: not checked |

What a library's \`validate\` does in its own code, nothing ends while it does not wait. The \`pattern\`s of its JSON Schema are tried first, and
arguments whose check was ended do not reach it; a regular expression that its JSON Schema does not tell can stop the process.
`;

const PORTABLE = `
## Providers

\`checkPortability(toolOrSchema)\` of \`@haft/plugin-sdk/testing\`, and \`haft plugins check\`, say what each provider makes of a tool: what
makes it refuse the request (*breaks*), and what it does not look at (*ignored*; Haft holds the model to it all the same). The rules are
those below, each from where it says. What no source says, no rule does; the absence of a finding is no promise.

| way | what it is |
| --- | --- |
`;

/** The page of schemas: libraries, limits, providers, and what those make of the built-in tools. */
export function formatSchemasPage(
  tools: readonly AnyTool[],
  catalogue: Readonly<Record<string, string>>,
): string {
  const libraries = LIBRARIES.map(([name, written, result]) =>
    row([shownName(name), versionOf(catalogue[name] ?? ""), written, result]),
  );
  const ways = Object.entries(PROVIDERS).map(([provider, words]) => row([`\`${provider}\``, words]));
  return `${[
    HEAD + libraries.join("\n"),
    LIFE + PORTABLE + ways.join("\n"),
    "",
    "| way | what | | source |",
    "| --- | --- | --- | --- |",
    ...ruleRows(),
    "",
    "Sources, the day they were read, and for errors the day of the report:",
    "",
    ...Object.entries(SOURCES).map(([name, { url, kind, date }]) => `- ${name}: <${url}> (${kind}, ${date})`),
    "",
    "## The built-in tools",
    "",
    "They break nothing in the ways that are not strict, but for the subset of OpenAPI, which does not have `additionalProperties`. The strict",
    "ways need other schemas than these: all parameters required, or no bounds.",
    "",
    `| tool | ${Object.keys(PROVIDERS).join(" | ")} |`,
    `| --- |${" --- |".repeat(Object.keys(PROVIDERS).length)}`,
    ...tools.map((tool) =>
      row([
        `\`${tool.name}\``,
        ...Object.keys(PROVIDERS).map((provider) => made(tool, provider as Provider)),
      ]),
    ),
  ].join("\n")}\n`;
}

function ruleRows(): string[] {
  const rows: string[] = [];
  const add = (providers: readonly Provider[], what: string, result: string, source: SourceName) =>
    rows.push(row([providers.map((one) => `\`${one}\``).join(", "), what, result, source]));
  for (const { providers, keywords, severity, problem, at, source } of KEYWORD_RULES)
    add(providers, code(keywords) + (at === "root" ? ", at the top" : ""), `${severity}: ${problem}`, source);
  for (const { provider, supported, annotations, severity, problem, source } of SUPPORTED_KEYWORDS)
    add(
      [provider],
      `all ${annotations ? "" : "assertions "}but ${code(supported)}`,
      `${severity}: ${problem}`,
      source,
    );
  for (const { providers, of, words, source } of NAME_RULES)
    add(
      providers,
      of === "tool" ? "the tool's name" : "names of properties at the top",
      `breaks, unless: ${words}`,
      source,
    );
  for (const { providers, max, words, source } of LIMIT_RULES)
    add(providers, words, `breaks: more than ${max}`, source);
  for (const [provider, { formats, source }] of Object.entries(FORMATS))
    add([provider as Provider], "`format`", `breaks, unless: ${formats.join(", ")}`, source);
  add(["openai-strict"], "`required`", "breaks, unless it lists every property", "openaiStrictFunctions");
  add(
    ["openai-strict"],
    "`additionalProperties`",
    "breaks, unless it is false, in every object",
    "openaiStrictFunctions",
  );
  add(
    ["anthropic-strict"],
    "`additionalProperties`",
    "breaks, unless it is false, in every object",
    "anthropicStructured",
  );
  add(["openai"], "`items`", "breaks where a list has none", "openaiItems");
  add(
    ["openai-strict"],
    "`items`",
    "breaks where a list has none, or one for each position",
    "openaiTransform",
  );
  add(
    ["anthropic-strict"],
    "`minItems`, `enum`, `pattern`, `allOf`, `$ref`",
    "breaks: more than 1; lists or objects; looking around, references to groups, bounds of words; a `$ref` inside; recursion",
    "anthropicStructured",
  );
  add(["gemini"], "`$ref`", "breaks with keywords beside it", "geminiJsonSchema");
  add(["gemini"], "`enum`", "ignored with others than texts and numbers", "geminiJsonSchema");
  add(["gemini-openapi"], "`enum`", "breaks with others than texts", "geminiEnum");
  add(["gemini-openapi"], "`type`", "breaks with a list of types", "geminiSchema");
  return rows;
}

/** What a provider makes of a tool, in a cell. */
function made(tool: AnyTool, provider: Provider): string {
  const found = checkPortability(tool).filter((one) => one.provider === provider);
  const words = (["breaks", "ignored"] as const).flatMap((severity) => {
    const keywords = found.filter((one) => one.severity === severity).map(({ keyword }) => keyword);
    return keywords.length === 0 ? [] : `${severity}: ${code([...new Set(keywords)].toSorted())}`;
  });
  return words.join("; ") || "takes it";
}

const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(", ");
const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
/** `zod-3` in the catalogue is another version of zod. */
const shownName = (name: string) => `\`${name.replace(/(?<=^(?:zod|arktype))-[\d.]+$/, "")}\``;
const versionOf = (pinned: string) => pinned.replace(/^npm:.*@/, "");
