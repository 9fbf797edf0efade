import type { ToolDiagnostic } from "@haft/core/internal";
import type { PluginReport } from "@haft/plugin-loader";
import { formatTable } from "@haft/policy";
import { escapeInvisible } from "@haft/utils";
import { styleText } from "node:util";
import { nextCommand, withNextCommands } from "../location/next-command.ts";
import { findUntrustedPlugins } from "./explain-unnamed.ts";
import { isBroken, type PluginsValues, withSurvey } from "./open-survey.ts";
import { formatHomePath } from "./plugins-target.ts";

export async function listPlugins(values: PluginsValues): Promise<number> {
  return withSurvey(values, async ({ reports, host }) => {
    const diagnostics = host.diagnostics.filter(({ pluginId }) => isOfThese(pluginId, reports));
    const waiting = values["no-config"] ? [] : await findUntrustedPlugins(values, reports);
    if (values.json) console.log(JSON.stringify({ plugins: reports, diagnostics, untrusted: waiting }));
    else {
      print(reports, diagnostics);
      for (const { file, use } of waiting)
        console.log(
          escapeInvisible(
            `${use}: ${formatHomePath(file)} names it, and is not trusted. To trust it: haft config trust ${formatHomePath(file)}`,
          ),
        );
    }
    const isSound = reports.every(({ state }) => state !== "broken" && state !== "withheld");
    return isSound && !diagnostics.some(({ code }) => isBroken(code)) ? 0 : 1;
  });
}

function isOfThese(pluginId: string, reports: readonly PluginReport[]): boolean {
  return reports.some(({ id, state }) => id === pluginId && state !== "broken" && state !== "withheld");
}

const COLOURS = { broken: "red", withheld: "yellow" } as const;

function print(reports: readonly PluginReport[], diagnostics: readonly ToolDiagnostic[]): void {
  if (reports.length === 0) {
    console.log(
      `No configuration names a plugin. ${nextCommand("haft plugins add NAME")} installs and adds one.`,
    );
    return;
  }
  const rows = reports.map((report) => [
    report.id === undefined || report.use === report.id ? report.use : `${report.id} (${report.use})`,
    report.version ?? "–",
    report.state,
    toolsOf(report),
    report.at === undefined
      ? formatHomePath(report.source)
      : `${formatHomePath(report.source)}, ${report.at}`,
  ]);
  const [head, ...lines] = formatTable([
    ["plugin", "version", "state", "tools", "named in"],
    ...rows.map((row) => row.map(escapeInvisible)),
  ]);
  console.log(styleText("dim", head!));
  for (const [index, line] of lines.entries()) {
    const { state } = reports[index]!;
    console.log(state === "broken" || state === "withheld" ? styleText(COLOURS[state], line) : line);
  }
  const notes = [
    ...reports.flatMap(({ use, problem, late }) => [
      ...(problem === undefined ? [] : [note(use, problem.message, withNextCommands(problem.fix))]),
      ...(late === undefined
        ? []
        : [note(use, `In a session, of ${late.names.join(", ")}: ${late.message}`)]),
    ]),
    ...diagnostics.map(({ message, fix, pluginId }) => note(pluginId, message, fix)),
  ];
  if (notes.length > 0) console.log(`\n${notes.join("\n")}`);
  if (reports.some(({ state }) => state === "ready"))
    console.log(styleText("dim", "\nready: known; loads when a tool of it is needed."));
}

const SHOWN = 4;

function toolsOf({ tools }: PluginReport): string {
  const names = tools.map(({ name, optional }) => (optional ? `${name}?` : name));
  const more = names.length - SHOWN;
  return names.length === 0
    ? "none"
    : `${names.slice(0, SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function note(use: string, message: string, fix?: string): string {
  const lines = [`${use}: ${message}`, ...(fix === undefined ? [] : [`  To do: ${fix}`])];
  return lines.map(escapeInvisible).join("\n");
}
