import type { ToolDiagnostic } from "@haft/core/internal";
import { surveyPlugins } from "@haft/host/internal/host";
import {
  addPlugin as add,
  type AddedPlugin,
  listConfiguredPlugins,
  type InstallTarget,
} from "@haft/plugin-loader/internal/check";
import {
  getPackageManager,
  type PackageSpec,
  parsePackageSpec,
  type PluginRecord,
} from "@haft/plugin-loader/internal/plugins";
import { escapeInvisible } from "@haft/utils";
import { existsSync } from "node:fs";
import { runInterruptible } from "../call/signal-listener.ts";
import { toolLines } from "./describe-tools.ts";
import { describeUpdate, formatUpdate } from "./describe-update.ts";
import { type PluginsValues, withSurvey } from "./open-survey.ts";
import { printSteps, readPluginsTarget, openPluginRecords, formatHomePath } from "./plugins-target.ts";
import { showProgress } from "./progress.ts";

export async function addPluginCommand(
  values: PluginsValues & { "allow-scripts"?: boolean },
  [word = ""]: readonly string[],
): Promise<number> {
  const spec = parsePackageSpec(word, process.cwd());
  if (spec.from === "registry" && existsSync(word))
    console.error(`haft: ${word} is read as a package of your registry; the local path is ./${word}.`);
  const installTarget = await readPluginsTarget(values);
  const allowScripts = values["allow-scripts"] ?? false;
  if (values["dry-run"]) {
    printSteps(values.json, await stepsOf(spec, installTarget, allowScripts));
    return 0;
  }
  const records = openPluginRecords(values);
  let changes: readonly string[] | undefined;
  const review = (before: PluginRecord | undefined, after: PluginRecord): void => {
    const update = describeUpdate(before, after);
    if (update === undefined || update.from === update.to) return;
    ({ changes } = update);
    if (!values.json) console.log(formatUpdate(after.use, update).map(escapeInvisible).join("\n"));
  };
  const added = (signal: AbortSignal) =>
    add(spec, { target: installTarget, allowScripts, records, withProgress: showProgress, signal, review });
  return runInterruptible(values.json, async (signal) =>
    report(await added(signal), { installTarget, changes, values }),
  );
}

async function report(
  added: AddedPlugin,
  {
    installTarget,
    changes,
    values,
  }: { installTarget: InstallTarget; changes: readonly string[] | undefined; values: PluginsValues },
): Promise<number> {
  if (!values.json) print(added, installTarget);
  const isLoaded = added.outcome !== "by hand" && installTarget.as !== "project";
  const conflicts = isLoaded ? await conflictsOf(added, values) : [];
  if (values.json)
    console.log(
      JSON.stringify({
        ...asData(added, installTarget),
        ...(changes && { changes }),
        diagnostics: conflicts,
      }),
    );
  else {
    for (const { message, fix } of conflicts)
      console.error(`haft: ${escapeInvisible(message)}\n${escapeInvisible(fix)}`);
    const isLeftOut = conflicts.some(({ code }) => code === "PLUGIN_CONFIG_INVALID");
    if (installTarget.as !== "project" && !isLeftOut && toolLines(added.record.plugin).length > 0)
      console.log(
        "Sessions of kind main have its tools; group and sandboxed sessions need a grant of your policy. haft plugins why TOOL explains more.",
      );
  }
  return 0;
}

async function conflictsOf(
  { record }: AddedPlugin,
  values: PluginsValues,
): Promise<readonly ToolDiagnostic[]> {
  return withSurvey(values, async ({ host, session }) => {
    const { diagnostics } = await surveyPlugins(host, session);
    return diagnostics.filter(({ pluginId }) => pluginId === record.plugin.id);
  });
}

async function stepsOf(
  spec: PackageSpec,
  installTarget: InstallTarget,
  allowScripts: boolean,
): Promise<string[]> {
  const steps: string[] = [];
  const what =
    spec.from === "registry"
      ? [spec.name, spec.specifier].filter(Boolean).join("@")
      : formatHomePath(spec.path);
  if (spec.from === "registry" || spec.from === "archive") {
    const { name, reason } = getPackageManager(installTarget);
    const scripts = allowScripts ? "its scripts may run" : "no script of it runs";
    steps.push(
      `install ${what} in ${formatHomePath(installTarget.folder)} with ${name} (${reason}), in one exact version; ${scripts}`,
    );
  }
  steps.push(`try ${what} in a separate process, and store a record of its tools`);
  const isNamed = "name" in spec && (await listConfiguredPlugins(installTarget)).includes(spec.name);
  const file = formatHomePath(installTarget.file);
  const exists = existsSync(installTarget.file);
  if (isNamed) steps.push(`leave ${file}, which names it already`);
  else if (installTarget.kind === "code") steps.push(`print the line to add to ${file}, which is code`);
  else steps.push(`${exists ? "add its name to" : "create"} ${file}${exists ? "" : ", with its name"}`);
  return steps;
}

function asData({ use, record, outcome }: AddedPlugin, installTarget: InstallTarget): object {
  const { plugin, pinned, file, notes } = record;
  return {
    use,
    plugin,
    ...(pinned && { package: pinned }),
    module: file,
    notes,
    configuration: { file: installTarget.file, as: installTarget.as, outcome },
  };
}

function print({ use, record, outcome }: AddedPlugin, installTarget: InstallTarget): void {
  const { plugin, pinned, notes } = record;
  const file = formatHomePath(installTarget.file);
  const version = pinned === undefined ? "" : ` ${escapeInvisible(pinned.version)}`;
  const where = {
    changed: `Added ${escapeInvisible(use)}${version} to ${file}.`,
    unchanged: `${escapeInvisible(use)}${version} is installed; ${file} names it already.`,
    "by hand": `${escapeInvisible(use)}${version} is ready, but not configured yet: edit ${file} yourself. Add to its plugins: ${JSON.stringify(use)}`,
  }[outcome];
  const tools = toolLines(plugin);
  console.log(
    [where, ...(tools.length === 0 ? ["It has no tools."] : tools.map((line) => `  ${line}`))].join("\n"),
  );
  if (pinned?.integrity !== undefined) console.log(`Integrity: ${pinned.integrity}`);
  for (const note of notes) console.error(`haft: ${escapeInvisible(note)}`);
  if (installTarget.as === "project")
    console.log(
      `This is a file of a workspace, and loads nothing until you trust it: haft config trust ${formatHomePath(installTarget.file)}`,
    );
}
