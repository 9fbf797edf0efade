import type { McpServerSettings } from "@haft/config/internal/settings";
import type { KnownServer } from "@haft/host/internal/mcp";
import { differences, type McpSurvey, type McpToolDefinition, assignToolNames } from "@haft/mcp";
import { escapeInvisible } from "@haft/utils";

/** In characters. */
const SHOWN = 2_000;

export function reachLines({ name, settings }: KnownServer): string[] {
  const { command = "", args = [], url, env = {}, headers = {} } = settings;
  const what = url === undefined ? `program: ${[command, ...args].join(" ")}` : `at ${url}`;
  const lines = [`${name}  ${what}`, `  reaches      ${describeServerReach(settings)}`];
  const given = [...Object.keys(env), ...Object.keys(headers)];
  if (given.length > 0) lines.push(`  is given     ${given.join(", ")}`);
  return lines.map(shown);
}

export function describeServerReach({ url, outside, network = "none" }: McpServerSettings): string {
  if (url !== undefined) return `its address, ${new URL(url).host}`;
  if (outside === true)
    return "everything that this machine reaches: it runs outside, with all rights of the user";
  return typeof network === "string" ? (network === "full" ? "everything" : "nothing") : network.join(", ");
}

export function surveyLines(server: KnownServer, survey: McpSurvey): string[] {
  const { info, era, instructions, asked, notices, problems, tools } = survey;
  const names = assignToolNames(
    server.name,
    tools.map((tool) => tool.name),
  );
  return [
    ...reachLines(server),
    ...(info === undefined ? [] : [`  calls itself ${[info.name, info.version].filter(Boolean).join(" ")}`]),
    `  speaks       ${era === "modern" ? "MCP of 2026" : "MCP of 2025 or before"}`,
    ...(asked.length === 0 ? [] : [`  asked for    ${asked.join(", ")}`]),
    ...notices.map((notice) => `  refused      ${notice}`),
    ...(instructions === undefined
      ? []
      : ["  instructions, which models do not get:", ...indented(instructions)]),
    "",
    ...tools.flatMap((tool) => serverToolLines(names.get(tool.name) ?? tool.name, tool)),
    ...problems.map(({ name, problem }) => `${name || "A tool"} ${problem}, and is omitted.`),
  ].map(shown);
}

export function serverToolLines(
  name: string,
  { description = "", annotations, inputSchema }: McpToolDefinition,
): string[] {
  const { properties, required } = inputSchema as { properties?: object; required?: readonly string[] };
  const words = Object.keys(properties ?? {}).map((word) =>
    required?.includes(word) === true ? word : `${word}?`,
  );
  return [`${name}(${words.join(", ")})`, `    claims: ${claimsOf(annotations)}`, ...indented(description)];
}

export function differenceLines(before: McpToolDefinition, now: McpToolDefinition): string[] {
  return differences(before, now).flatMap((difference) => [
    `  ${difference.field}`,
    ...(difference.before === undefined ? [] : marked("-", difference.before)),
    ...(difference.now === undefined ? [] : marked("+", difference.now)),
  ]);
}

function claimsOf(annotations: Record<string, unknown> = {}): string {
  const words: Readonly<Record<string, [string, string]>> = {
    readOnlyHint: ["it only reads", "it changes things"],
    destructiveHint: ["it may destroy", "it destroys nothing"],
    idempotentHint: ["a repeated call changes nothing more", "a repeated call changes more"],
    openWorldHint: ["it reaches other systems", "it reaches no other systems"],
  };
  const claims = Object.entries(words).flatMap(([key, [yes, no]]) =>
    typeof annotations[key] === "boolean" ? [annotations[key] ? yes : no] : [],
  );
  return claims.length === 0 ? "nothing about its effects" : claims.join(", ");
}

function indented(text: string): string[] {
  return cut(text).map((line) => `    ${line}`);
}

function marked(mark: string, text: string): string[] {
  return cut(text).map((line) => `  ${mark} ${shown(line)}`);
}

function cut(text: string): string[] {
  const lines = text.slice(0, SHOWN).split("\n");
  return text.length > SHOWN
    ? [...lines, `… ${text.length - SHOWN} more characters; --json has them`]
    : lines;
}

/** Untrusted texts must not move the cursor or hide characters. */
function shown(line: string): string {
  return escapeInvisible(line);
}
