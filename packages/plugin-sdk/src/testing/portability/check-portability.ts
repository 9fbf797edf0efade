import { type AnyTool, HaftError } from "@haft/core";
import { toAdvertisedSchema, readSchema } from "@haft/core/internal";
import { isObject } from "@haft/utils";
import { ASSERTIONS, FIX, FIXES, KEYWORD_RULES, SUPPORTED_KEYWORDS } from "./keyword-rules.ts";
import { LIMIT_RULES, NAME_RULES } from "./limits.ts";
import { measure, type SchemaNode, listSchemaNodes, appendPath } from "./measure.ts";
import { type Provider, type SourceName, SOURCES } from "./sources.ts";
import { STRUCTURE_RULES } from "./structure-rules.ts";

/** Describes a part of a tool that a provider rejects or ignores. */
export interface PortabilityFinding {
  /** Names the provider and its way to pass parameters. */
  provider: Provider;
  /** Names the keyword of JSON Schema, or `name`, or `description`. */
  keyword: string;
  /** Contains the path from the top of the parameters: `properties.edits.items`. Empty at the top, and for the tool itself. */
  path: string;
  /** Describes the effect, as a sentence. */
  problem: string;
  /** Contains the next step, as a sentence. */
  fix: string;
  /** `breaks`: the provider rejects requests with the tool. `ignored`: the provider ignores the keyword; Haft still applies it. */
  severity: "breaks" | "ignored";
  /** Contains the address of the rule. */
  source: string;
}

/**
 * Returns the parts of a schema or tool that providers reject or ignore. The rules come from documentation, SDKs and published errors;
 * `SOURCES` has the date of each. An empty result guarantees nothing.
 *
 * @param given A tool, or its `parameters`: JSON Schema, also of TypeBox, or a Standard Schema.
 * @throws HaftError `TOOL_INVALID` for tools that Haft itself would reject
 * @example
 * ```ts run
 * import { Type } from "@haft/plugin-sdk";
 * import { checkPortability } from "@haft/plugin-sdk/testing";
 *
 * const tags = Type.Array(Type.String(), { uniqueItems: true });
 * const findings = checkPortability(Type.Object({ tags }, { additionalProperties: false }));
 * const { path, severity } = findings.find(({ provider }) => provider === "openai-strict")!;
 * [path, severity]; // => ["properties.tags", "breaks"]
 * ```
 */
export function checkPortability(given: object): PortabilityFinding[] {
  const isTool = "execute" in given && "parameters" in given;
  const { name, description, parameters } = (isTool ? given : { parameters: given }) as Partial<AnyTool>;
  const read = readSchema(parameters, "parameters");
  if ("problem" in read)
    throw new HaftError("TOOL_INVALID", `No provider can be told of it: ${read.problem}.`, {
      category: "input",
      fix: "Correct the schema; haft plugins check names what else is wrong.",
    });
  // Models do not see the other parts.
  const nodes = listSchemaNodes(toAdvertisedSchema(read.schema));
  return [
    ...namesOf(name, nodes[0]!),
    ...limitsOf(nodes, description),
    ...nodes.flatMap((node) => [...keywordsOf(node), ...structureOf(node)]),
  ];
}

function namesOf(tool: unknown, { schema }: SchemaNode): PortabilityFinding[] {
  const properties = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
  return NAME_RULES.flatMap(({ providers, of, pattern, words, source }) => {
    const names = of === "property" ? properties : typeof tool === "string" ? [tool] : [];
    return names
      .filter((name) => !pattern.test(name))
      .flatMap((name) =>
        providers.map((provider) =>
          finding(provider, source, {
            keyword: of === "tool" ? "name" : "properties",
            path: of === "tool" ? "" : appendPath("", ["properties", name]),
            problem: `The name ${JSON.stringify(name)} is refused: it may have ${words}.`,
            fix: "Give it another name.",
            severity: "breaks",
          }),
        ),
      );
  });
}

function limitsOf(nodes: readonly SchemaNode[], description: unknown): PortabilityFinding[] {
  const found = measure(nodes, typeof description === "string" ? description : undefined);
  return LIMIT_RULES.flatMap(({ providers, of, max, keyword, words, fix, source }) => {
    const { count, path } = found[of];
    if (count <= max) return [];
    const problem = `There are ${count} ${words}, and ${max} are allowed.`;
    return providers.map((provider) =>
      finding(provider, source, { keyword, path, problem, fix, severity: "breaks" }),
    );
  });
}

function keywordsOf({ schema, path }: SchemaNode): PortabilityFinding[] {
  const findings: PortabilityFinding[] = [];
  const add = (
    provider: Provider,
    keyword: string,
    {
      problem,
      severity,
      source,
    }: { problem: string; severity: PortabilityFinding["severity"]; source: SourceName },
  ) => {
    // One rejection is enough.
    if (findings.some((one) => one.provider === provider && one.keyword === keyword)) return;
    const fix = FIXES.find(({ keywords }) => keywords.includes(keyword))?.fix ?? FIX;
    findings.push(
      finding(provider, source, { keyword, path, problem: `${keyword} ${problem}.`, fix, severity }),
    );
  };
  for (const keyword of Object.keys(schema)) {
    for (const rule of KEYWORD_RULES)
      if (rule.keywords.includes(keyword) && (rule.at === undefined || path === ""))
        for (const provider of rule.providers) add(provider, keyword, rule);
    for (const rule of SUPPORTED_KEYWORDS)
      if (!rule.supported.includes(keyword) && (rule.annotations || isAssertion(keyword)))
        add(rule.provider, keyword, rule);
  }
  return findings;
}

function structureOf(node: SchemaNode): PortabilityFinding[] {
  return STRUCTURE_RULES.flatMap(({ providers, severity, source, keyword, problem, fix }) => {
    const why = problem(node);
    if (why === false) return [];
    const found = { keyword, path: node.path, problem: `${keyword} ${why}.`, fix, severity };
    return providers.map((provider) => finding(provider, source, found));
  });
}

function isAssertion(keyword: string): boolean {
  return (ASSERTIONS as readonly string[]).includes(keyword);
}

function finding(
  provider: Provider,
  source: SourceName,
  rest: Omit<PortabilityFinding, "provider" | "source">,
): PortabilityFinding {
  return { provider, ...rest, source: SOURCES[source].url };
}
