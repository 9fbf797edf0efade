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

/** Library in the catalogue, code, result. */
const LIBRARIES: readonly [name: string, written: string, result: string][] = [
  ["@sinclair/typebox", "`Type.Object({ … })` of `@haft/plugin-sdk`", "is JSON Schema"],
  ["zod", "`z.object({ … })`", "accepted from zod 4.2"],
  [
    "zod",
    '`z.toJSONSchema(schema, { io: "input" })` of a schema of `zod/mini`',
    "accepted; Haft validates with the JSON Schema",
  ],
  [
    "zod-3",
    "`z.object({ … })`",
    "rejected, because zod 3 has no JSON Schema; use `withJsonSchema(schema, zodToJsonSchema(schema))`",
  ],
  ["valibot", "`v.object({ … })`", "rejected, because the JSON Schema is in another package"],
  ["@valibot/to-json-schema", "`toStandardJsonSchema(v.object({ … }))`", "accepted"],
  ["arktype", "`type({ … })`", "accepted"],
  ["arktype-2.1", "`type({ … })`", "accepted, with its own `toJsonSchema`"],
];

const HEAD = `<!-- Made by "npm run verify:docs -- --update" from scripts/lib/schemas-page.ts and packages/plugin-sdk/src/testing/portability. -->

# Schemas

This page lists the schema libraries, limits and provider rules for the \`parameters\` of a tool, for plugin authors. The
[guide](../guides/write-a-plugin.md#parameters) shows how to write parameters.

## Libraries

| package | tested with | code | result |
| --- | --- | --- | --- |
`;

const LIFE = `
Other libraries with [Standard Schema](https://standardschema.dev) also work. Haft reads the JSON Schema of the input from
\`~standard.jsonSchema\`, or from the library's \`toJsonSchema\`. If both are missing, Haft leaves the tool out, and the diagnostic names the
library. Then use \`withJsonSchema(schema, jsonSchema)\` of \`@haft/plugin-sdk\`.

## Validation

Haft processes the arguments of a call in this order:

1. It parses text, renames aliases, and repairs values that have only one interpretation in the JSON Schema.
2. It validates the arguments with the JSON Schema. For the schema of a library, this is only advice, because the library can accept
   more (\`z.preprocess\`, \`z.coerce\`). Unknown names at the top level are always rejected.
3. It calls the library's \`validate\`, which can be asynchronous and must finish within 15 s. The result, with defaults and
   transforms, is the value for the policy, the loop guard, the ledger and \`execute\`.

The result must be JSON. A \`Date\`, a \`Map\`, another instance, a function, \`undefined\`, \`NaN\` or a cycle is \`TOOL_INVALID\` with the path,
and the tool does not run. A default that changes each time, such as an id or the time, makes every call a new call for duplicates, loops
and grants. Name such arguments in \`progress.volatileArguments\`.

## Limits

Haft reads a schema once, when it composes the tools, and uses a copy. A schema that exceeds a limit or throws removes only its own tool;
\`session.diagnostics()\` and \`haft plugins check\` name the path.

| item | limit |
| --- | --- |
| size | 1,000,000 characters of names and values |
| depth | 64 nested schemas |
| \`$ref\` | only within the schema, not to itself for the same value, and at most 100,000 after expansion |
| values | JSON. \`undefined\` members are omitted; functions, BigInts, dates, regular expressions and instances are rejected |
| names | not \`__proto__\` |
| \`pattern\` | a slow match ends after 250 ms, and the arguments are rejected. All such matches share a budget of one second, which refills at a tenth of elapsed time. Outside Node, only if \`node:vm\` has timeouts |
| \`patternProperties\` | 100 in one object |
| one validation | 1,000,000 references, 200 nested references and 20,000,000 alternatives of \`anyOf\` and \`oneOf\`; then the arguments are rejected |
| \`format\` | not validated |

Haft cannot stop synchronous code of a library's \`validate\`. It matches each \`pattern\` of the JSON Schema first, and rejects the arguments if
a match was stopped. A regular expression that is missing in the JSON Schema can block the process.
`;

const PORTABLE = `
## Providers

\`checkPortability(toolOrSchema)\` of \`@haft/plugin-sdk/testing\` and \`haft plugins check\` report problems of a tool with each provider. A
provider rejects the request (*breaks*), or ignores a keyword (*ignored*) that Haft still enforces. Every rule below has a source. No
finding is no guarantee.

| mode | description |
| --- | --- |
`;

/** Formats libraries, limits, providers, and built-in tools by provider. */
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
    "| mode | item | result | source |",
    "| --- | --- | --- | --- |",
    ...ruleRows(),
    "",
    "Sources, with the day of reading, or the day of the report for errors:",
    "",
    ...Object.entries(SOURCES).map(([name, { url, kind, date }]) => `- ${name}: <${url}> (${kind}, ${date})`),
    "",
    "## The built-in tools",
    "",
    "The built-in tools work in all modes that are not strict, except `gemini-openapi`, which has no `additionalProperties`. The strict modes",
    "need other schemas: all parameters required, or no bounds.",
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
    add(
      providers,
      code(keywords) + (at === "root" ? ", at the top level" : ""),
      `${severity}: ${problem}`,
      source,
    );
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
      of === "tool" ? "the tool's name" : "names of properties at the top level",
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
  add(["openai"], "`items`", "breaks if an array has none", "openaiItems");
  add(
    ["openai-strict"],
    "`items`",
    "breaks if an array has none, or one for each position",
    "openaiTransform",
  );
  add(
    ["anthropic-strict"],
    "`minItems`, `enum`, `pattern`, `allOf`, `$ref`",
    "breaks, in this order, on: more than 1; arrays or objects; lookarounds, backreferences and word boundaries; a `$ref` inside; recursion",
    "anthropicStructured",
  );
  add(["gemini"], "`$ref`", "breaks with keywords next to it", "geminiJsonSchema");
  add(["gemini"], "`enum`", "ignored if values are not strings or numbers", "geminiJsonSchema");
  add(["gemini-openapi"], "`enum`", "breaks if values are not strings", "geminiEnum");
  add(["gemini-openapi"], "`type`", "breaks with a list of types", "geminiSchema");
  return rows;
}

/** Formats a tool's problems with a provider. */
function made(tool: AnyTool, provider: Provider): string {
  const found = checkPortability(tool).filter((one) => one.provider === provider);
  const words = (["breaks", "ignored"] as const).flatMap((severity) => {
    const keywords = found.filter((one) => one.severity === severity).map(({ keyword }) => keyword);
    return keywords.length === 0 ? [] : `${severity}: ${code([...new Set(keywords)].toSorted())}`;
  });
  return words.join("; ") || "works";
}

const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(", ");
const row = (cells: readonly string[]) =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
/** `zod-3` in the catalogue is another version of zod. */
const shownName = (name: string) => `\`${name.replace(/(?<=^(?:zod|arktype))-[\d.]+$/, "")}\``;
const versionOf = (pinned: string) => pinned.replace(/^npm:.*@/, "");
