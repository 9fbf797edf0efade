import { isMarkedSecret } from "@haft/core/internal";
import type { PluginReport } from "@haft/plugin-loader";
import {
  type DescribedTool,
  estimateToolTokens,
  readDependency,
  readPackageJson,
  type PluginRecord,
} from "@haft/plugin-loader/internal/plugins";
import { formatTable } from "@haft/policy";
import { didYouMean, escapeInvisible, nearestNames } from "@haft/utils";
import { dirname } from "node:path";
import { commandError } from "../../errors.ts";
import { usesNetwork, UNCONTROLLED_NETWORK } from "../describe-network.ts";
import { withNextCommands } from "../location/next-command.ts";
import { print } from "../write-out.ts";
import { effectsText } from "./describe-tools.ts";
import { findReports, type PluginsValues, withSurvey } from "./open-survey.ts";
import { referenceFromReport, openPluginRecords, formatHomePath } from "./plugins-target.ts";

export async function showPlugin(values: PluginsValues, [word = ""]: readonly string[]): Promise<number> {
  return withSurvey(values, async ({ reports }) => {
    const [report] = findReports(word, reports);
    if (report === undefined) throw createPluginNotNamedError(word, reports);
    const record = openPluginRecords(values).read(referenceFromReport(report));
    const about = aboutOf(report, record);
    print(values.json, about, () => text(about));
    return report.state === "broken" || report.state === "withheld" ? 1 : 0;
  });
}

export function createPluginNotNamedError(word: string, reports: readonly PluginReport[]): Error {
  const names = reports.flatMap(({ use, id }) => [use, ...(id === undefined ? [] : [id])]);
  const hint = didYouMean(nearestNames(word, names, 1));
  return commandError("PLUGIN_NOT_FOUND", `No configuration names a plugin ${JSON.stringify(word)}.${hint}`);
}

interface About {
  report: PluginReport;
  description?: unknown;
  licence?: unknown;
  homepage?: unknown;
  wanted?: string;
  definitions: readonly (DescribedTool & { tokens: number })[];
  files: readonly string[];
}

function aboutOf(report: PluginReport, record: PluginRecord | undefined): About {
  const manifest = report.package === undefined ? undefined : readPackageJson(report.package.folder);
  const { description, license, homepage, repository } = manifest ?? {};
  const definitions = (record?.plugin?.registrations ?? []).flatMap(({ tools = [] }) => tools);
  const wanted = report.package && readDependency(dirname(report.source), report.package.name)?.specifier;
  return {
    report,
    ...(description !== undefined && { description }),
    ...(license !== undefined && { licence: license }),
    ...((homepage ?? repository) !== undefined && { homepage: homepage ?? urlOf(repository) }),
    ...(wanted !== undefined && { wanted }),
    definitions: definitions.map((tool) => ({ ...tool, tokens: estimateToolTokens(tool) })),
    files: Object.keys(record?.files ?? {}),
  };
}

function urlOf(repository: unknown): unknown {
  return typeof repository === "object" && repository !== null
    ? (repository as { url?: unknown }).url
    : repository;
}

function text(about: About): string {
  const { report, definitions, files } = about;
  const { use, id, name, version, state, source, at, problem, late, notes } = report;
  const sum = definitions.reduce((all, { tokens }) => all + tokens, 0);
  const rows: readonly (readonly [string, unknown])[] = [
    ["plugin", [name ?? id ?? use, version].filter(Boolean).join(" ")],
    ["about", about.description],
    ["state", state],
    ["because", problem?.message],
    ["to do", problem && withNextCommands(problem.fix)],
    ["named", `${JSON.stringify(use)} in ${formatHomePath(source)}${at === undefined ? "" : `, ${at}`}`],
    [
      "package",
      report.package &&
        `${report.package.name} ${report.package.version} in ${formatHomePath(report.package.folder)}`,
    ],
    ["pinned", about.wanted],
    ["integrity", report.pinned?.integrity],
    ["licence", about.licence ?? (report.package && "none is stated")],
    ["home", about.homepage],
    ["module", report.file && formatHomePath(report.file)],
    ["replaces", report.replaces.join(", ")],
    ["late", late && `${late.message} (${late.names.join(", ")})`],
    ["manifest", report.manifest && "haft.plugin.json; the plugin declares nothing beyond it"],
    ["contained by", "nothing: its code runs with the rights of Haft, and effects are what it declares"],
    ["network", report.tools.some(usesNetwork) ? UNCONTROLLED_NETWORK : undefined],
    ["cost", definitions.length === 0 ? undefined : `about ${sum} tokens of definitions`],
    ...notes.map((each) => ["note", each] as const),
  ];
  const shown = rows.flatMap(([key, value]) =>
    typeof value === "string" && value !== "" ? [[key, escapeInvisible(value)]] : [],
  );
  return [
    formatTable(shown).join("\n"),
    ...report.tools.map((tool) =>
      toolText(
        tool,
        definitions.find((one) => one.name === tool.name),
      ),
    ),
    ...configLines(report.configSchema),
    ["Files it was tried with:", ...files.map((file) => `  ${formatHomePath(file)}`)].join("\n"),
  ].join("\n\n");
}

function toolText(
  { name, optional, channels, effects }: PluginReport["tools"][number],
  tool: About["definitions"][number] | undefined,
): string {
  const facts = [
    ...(effects === undefined ? [] : [effectsText(effects)]),
    ...(tool?.hosts === undefined ? [] : [`hosts ${tool.hosts.join(", ")}`]),
    ...(tool === undefined
      ? ["created by its factory for each session, so its parameters are unknown here"]
      : []),
    ...(tool?.groups === undefined ? [] : [`groups ${tool.groups.join(", ")}`]),
    ...(optional ? ["optional: off until a policy names it"] : []),
    ...(channels === undefined ? [] : [`in channels ${channels.join(", ")}`]),
    ...(tool === undefined ? [] : [`about ${tool.tokens} tokens`]),
  ];
  const lines = [
    `${name}: ${facts.join("; ")}`,
    ...(tool === undefined ? [] : [`  ${tool.description}`, ...parameterLines(tool)]),
  ];
  return lines.map(escapeInvisible).join("\n");
}

function configLines(schema: object | undefined): string[] {
  if (schema === undefined) return [];
  const lines = schemaLines(schema);
  return [
    lines.length === 0 ? "Configuration: see its documentation." : ["Configuration:", ...lines].join("\n"),
  ];
}

function parameterLines({ parameters }: DescribedTool): string[] {
  return schemaLines(parameters as object);
}

function schemaLines(schema: object): string[] {
  const rows = rowsOf(schema);
  return formatTable(rows.map((row) => ["  ", ...row.map(escapeInvisible)]));
}

const MAX_NESTING = 8;

/** Keys of nested objects follow their object: `login.token`. */
function rowsOf(schema: object, before = "", depth = 0): string[][] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Record<string, unknown>>;
    required?: readonly string[];
  };
  return Object.entries(properties).flatMap(([key, part]) => [
    [
      `${before}${key}${required.includes(key) && part["default"] === undefined ? "" : "?"}`,
      wordOf(part),
      [part["description"], ...remarksOn(part)].filter(Boolean).join(" "),
    ],
    ...(depth < MAX_NESTING ? rowsOf(part, `${before}${key}.`, depth + 1) : []),
  ]);
}

function wordOf({ type, anyOf }: Record<string, unknown>): string {
  return typeof type === "string" ? type : anyOf === undefined ? "any" : "one of several";
}

function remarksOn(part: Record<string, unknown>): string[] {
  const isSecret = isMarkedSecret(part);
  const { default: byDefault } = part;
  return [
    ...(byDefault === undefined || isSecret ? [] : [`Default: ${JSON.stringify(byDefault)}.`]),
    ...(isSecret ? ["Secret: it is masked in output and records."] : []),
  ];
}
