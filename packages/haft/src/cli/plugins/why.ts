import type { MissingTool } from "@haft/core/internal";
import { surveyPlugins, type PluginSurvey } from "@haft/host/internal/host";
import type { PluginReport } from "@haft/plugin-loader";
import { formatTable } from "@haft/policy";
import { didYouMean, escapeInvisible, nearestNames } from "@haft/utils";
import { withNextCommands } from "../location/next-command.ts";
import { print } from "../write-out.ts";
import { explainUnnamed } from "./explain-unnamed.ts";
import { findReports, isBroken, type PluginsValues, type Survey, withSurvey } from "./open-survey.ts";
import { formatHomePath } from "./plugins-target.ts";

interface Reason {
  /** The subject: `tool weather`, `plugin haft-plugin-x`. */
  about: string;
  there: boolean;
  code?: string;
  reason: string;
  fix?: string;
  plugin?: string;
  named?: string;
}

export async function whyPlugin(values: PluginsValues, [word = ""]: readonly string[]): Promise<number> {
  return withSurvey(values, async (survey) => {
    const found = await surveyPlugins(survey.host, survey.session);
    const kind = survey.session.kind ?? "main";
    const ofTools = await reasonsOfTool(word, survey, found);
    // A plugin may have the name of its tool.
    const isNew = ({ about }: Reason) => !ofTools.some((one) => one.about === about);
    const reasons = [...ofTools, ...reasonsOfPlugin(word, survey, found).filter(isNew)];
    const known = [...found.tools, ...found.missing, ...survey.reports.map(({ use: name }) => ({ name }))];
    if (reasons.length === 0)
      reasons.push(
        await whyUnnamed(
          word,
          values,
          known.map(({ name }) => name),
          survey.reports,
        ),
      );
    print(values.json, { asked: word, session: kind, reasons }, () =>
      reasons.map((reason) => text(reason, kind)).join("\n\n"),
    );
    return reasons.some(({ there }) => there) ? 0 : 1;
  });
}

async function reasonsOfTool(word: string, survey: Survey, found: PluginSurvey): Promise<Reason[]> {
  const { host, session, reports } = survey;
  const reasons: Reason[] = [];
  const visible = found.tools.find(({ name }) => same(name, word));
  if (visible !== undefined || host.catalogue.some(({ id }) => id === word)) {
    const preview = await host.preview(session);
    const { toolName, found: how, reason, fix } = await preview.explain(word);
    if (how === "visible") {
      const isElsewhere = (id: string) => found.missing.some((missing) => missing.id === id);
      const facts = host.catalogue.find(
        ({ name, id }) => id === toolName || (name === toolName && !isElsewhere(id)),
      );
      const about = `tool ${toolName}`;
      const failure = findFailure(reports.find(({ id }) => id === facts?.pluginId));
      const whose = ofPlugin(facts?.pluginId, reports);
      reasons.push(
        toolName !== undefined && failure?.names.includes(toolName) === true
          ? { about, ...reasonOfFailure(failure), ...whose }
          : { about, there: true, reason, ...(fix !== undefined && { fix }), ...whose },
      );
    }
  }
  for (const missing of found.missing)
    if (same(missing.name, word) || same(missing.id, word)) reasons.push(ofMissing(missing, reports));
  return reasons;
}

/** Returns the last failure in a session that this command does not reproduce: it neither sets plugins up nor loads static tools. */
function findFailure(report: PluginReport | undefined): PluginReport["late"] {
  const code = report?.late?.code;
  return code === "SETUP_FAILED" || code === "PLUGIN_UNLOADABLE" ? report!.late : undefined;
}

function reasonOfFailure({ code, message, at }: NonNullable<PluginReport["late"]>): Omit<Reason, "about"> {
  return {
    there: false,
    code,
    reason: `It is offered, but failed in its last session, ${new Date(at).toISOString()}: ${message}`,
    fix: "Remove the cause of the failure, and call a tool of the plugin again. A success clears this reason.",
  };
}

function ofMissing({ id, code, reason, fix }: MissingTool, reports: readonly PluginReport[]): Reason {
  const [pluginId = "", name = id] = id.split("/");
  return {
    about: `tool ${name} of plugin ${pluginId}`,
    there: false,
    code,
    reason,
    ...(fix !== undefined && { fix }),
    ...ofPlugin(pluginId, reports),
  };
}

function reasonsOfPlugin(word: string, { reports, host }: Survey, found: PluginSurvey): Reason[] {
  return findReports(word, reports).flatMap((report): Reason[] => {
    const { use, id = use, state, problem, late, tools } = report;
    const about = `plugin ${id}`;
    const whose = { plugin: use, named: namedIn(report) };
    if (problem !== undefined)
      return [
        { about, there: false, code: problem.code, reason: problem.message, fix: problem.fix, ...whose },
      ];
    const refused = host.diagnostics.filter(
      ({ pluginId, code }) => pluginId === id && code === "PLUGIN_INVALID",
    );
    if (refused[0] !== undefined)
      return [
        {
          about,
          there: false,
          code: refused[0].code,
          reason: refused[0].message,
          fix: refused[0].fix,
          ...whose,
        },
      ];
    const failure = findFailure(report);
    if (failure !== undefined) return [{ about, ...reasonOfFailure(failure), ...whose }];
    const left = found.missing.filter((missing) => missing.id.startsWith(`${id}/`));
    const offered = tools.filter(({ name }) => !left.some((missing) => missing.name === name));
    const words = {
      ready: "known, and loads when a tool of it is needed",
      loaded: "loaded",
      given: "given by the program",
    };
    const status = words[state as keyof typeof words];
    const has =
      offered.length === 0
        ? "it has no available tools"
        : `${offered.map(({ name }) => name).join(", ")} ${offered.length === 1 ? "is" : "are"} available`;
    const lack = left.find(({ code }) => isBroken(code));
    if (tools.length > 0 && offered.length === 0 && lack !== undefined)
      return left.map((missing) => ofMissing(missing, reports));
    const reason = tools.length === 0 ? `It is ${status}, and has no tools.` : `It is ${status}; ${has}.`;
    const also = late === undefined ? "" : ` In a session: ${late.message}`;
    return [
      { about, there: tools.length === 0 || offered.length > 0, reason: reason + also, ...whose },
      ...left.map((missing) => ofMissing(missing, reports)),
    ];
  });
}

async function whyUnnamed(
  word: string,
  values: PluginsValues,
  known: readonly string[],
  reports: readonly PluginReport[],
): Promise<Reason> {
  const { reason, fix } = await explainUnnamed(word, values, reports);
  const hint = didYouMean(nearestNames(word, known, 1));
  return { about: word, there: false, code: "PLUGIN_NOT_FOUND", reason: reason + hint, fix };
}

function ofPlugin(
  pluginId: string | undefined,
  reports: readonly PluginReport[],
): Pick<Reason, "plugin" | "named"> {
  if (pluginId === undefined || pluginId === "") return {};
  const report = reports.find(({ id }) => id === pluginId);
  return report === undefined
    ? { plugin: pluginId, named: "built-in" }
    : { plugin: report.use, named: namedIn(report) };
}

function namedIn({ source, at }: PluginReport): string {
  return at === undefined ? source : `${source}, ${at}`;
}

function same(one: string, other: string): boolean {
  const plain = (name: string) => name.toLowerCase().replaceAll("-", "_");
  return plain(one) === plain(other);
}

function text({ about, there, reason, fix, plugin, named, code }: Reason, kind: string): string {
  const title = `${about} is ${there ? "available" : "not available"}${about.startsWith("tool") ? ` in a ${kind} session` : ""}.`;
  const rows = [
    ["because", reason],
    [there ? "otherwise" : "to have it", fix && withNextCommands(fix)],
    ["plugin", plugin],
    ["named in", named === undefined ? undefined : formatHomePath(named)],
    ["code", there ? undefined : code],
  ].flatMap(([key, value]) =>
    value === undefined || value === "" ? [] : [["", key!, escapeInvisible(value)]],
  );
  return [escapeInvisible(title), ...formatTable(rows)].join("\n");
}
