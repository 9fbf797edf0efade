import { escapeInvisible } from "@haft/core/internal";
import type { ToolDiagnostic } from "@haft/core/kernel";
import { existsSync } from "node:fs";
import { surveyPlugins } from "../../host/survey-plugins.ts";
import { addPlugin as add, type AddedPlugin } from "../../plugins/install/add-plugin.ts";
import type { InstallPlace } from "../../plugins/install/install-place.ts";
import { namedIn } from "../../plugins/install/name-plugin.ts";
import { managerOf } from "../../plugins/packages/install-package.ts";
import { type PackageSpec, readSpec } from "../../plugins/packages/package-spec.ts";
import { interruptible } from "../call/until-signal.ts";
import { toolLines } from "./describe-tools.ts";
import { type PluginsValues, withSurvey } from "./open-survey.ts";
import { printSteps, readPluginsPlace, recordsOf, shownPath } from "./plugins-place.ts";
import { working } from "./progress.ts";

export async function addPluginCommand(
  values: PluginsValues & { "allow-scripts"?: boolean },
  [word = ""]: readonly string[],
): Promise<number> {
  const spec = readSpec(word, process.cwd());
  if (spec.from === "registry" && existsSync(word))
    console.error(`haft: ${word} is taken for a package of your registry; what is here is ./${word}.`);
  const place = await readPluginsPlace(values);
  const allowScripts = values["allow-scripts"] ?? false;
  if (values["dry-run"]) {
    printSteps(values.json, await stepsOf(spec, place, allowScripts));
    return 0;
  }
  const records = recordsOf(values);
  const added = (signal: AbortSignal) => add(spec, { place, allowScripts, records, working, signal });
  return interruptible(values.json, async (signal) => tell(await added(signal), place, values));
}

async function tell(added: AddedPlugin, place: InstallPlace, values: PluginsValues): Promise<number> {
  if (!values.json) print(added, place);
  const isLoaded = added.outcome !== "by hand" && place.as !== "project";
  const conflicts = isLoaded ? await conflictsOf(added, values) : [];
  if (values.json) console.log(JSON.stringify({ ...asData(added, place), diagnostics: conflicts }));
  else {
    for (const { message, fix } of conflicts)
      console.error(`haft: ${escapeInvisible(message)}\n${escapeInvisible(fix)}`);
    const isLeftOut = conflicts.some(({ code }) => code === "PLUGIN_CONFIG_INVALID");
    if (place.as !== "project" && !isLeftOut && toolLines(added.record.plugin).length > 0)
      console.log(
        "Sessions of kind main have its tools; group and sandboxed ones once your policy grants them. haft plugins why TOOL says more.",
      );
  }
  return 0;
}

/** What hosts that use the configuration will say about it: names that are taken, tools that are malformed. */
async function conflictsOf(
  { record }: AddedPlugin,
  values: PluginsValues,
): Promise<readonly ToolDiagnostic[]> {
  return withSurvey(values, async ({ host, session }) => {
    const { diagnostics } = await surveyPlugins(host, session);
    return diagnostics.filter(({ pluginId }) => pluginId === record.plugin.id);
  });
}

async function stepsOf(spec: PackageSpec, place: InstallPlace, allowScripts: boolean): Promise<string[]> {
  const steps: string[] = [];
  const what =
    spec.from === "registry" ? [spec.name, spec.wanted].filter(Boolean).join("@") : shownPath(spec.path);
  if (spec.from === "registry" || spec.from === "archive") {
    const { name, because } = managerOf(place);
    const scripts = allowScripts ? "its scripts may run" : "no script of it runs";
    steps.push(
      `install ${what} in ${shownPath(place.folder)} with ${name} (${because}), in one exact version; ${scripts}`,
    );
  }
  steps.push(`try ${what} in a process of its own, and keep a record of what it offers`);
  const isNamed = "name" in spec && (await namedIn(place)).includes(spec.name);
  const file = shownPath(place.file);
  const exists = existsSync(place.file);
  if (isNamed) steps.push(`leave ${file} as it is, which names it`);
  else if (place.kind === "code") steps.push(`say the line to add to ${file}, which is code`);
  else steps.push(`${exists ? "name it in" : "make"} ${file}${exists ? "" : ", which names it"}`);
  return steps;
}

function asData({ use, record, outcome }: AddedPlugin, place: InstallPlace): object {
  const { plugin, pinned, file, notes } = record;
  return {
    use,
    plugin,
    ...(pinned && { package: pinned }),
    module: file,
    notes,
    configuration: { file: place.file, as: place.as, outcome },
  };
}

function print({ use, record, outcome }: AddedPlugin, place: InstallPlace): void {
  const { plugin, pinned, notes } = record;
  const file = shownPath(place.file);
  const version = pinned === undefined ? "" : ` ${escapeInvisible(pinned.version)}`;
  const where = {
    changed: `Added ${escapeInvisible(use)}${version} to ${file}.`,
    unchanged: `${escapeInvisible(use)}${version} is installed; ${file} names it already.`,
    "by hand": `${escapeInvisible(use)}${version} is ready, and not named yet: ${file} is for you to change. Add to its plugins: ${JSON.stringify(use)}`,
  }[outcome];
  const tools = toolLines(plugin);
  console.log(
    [where, ...(tools.length === 0 ? ["It has no tools."] : tools.map((line) => `  ${line}`))].join("\n"),
  );
  if (pinned?.integrity !== undefined) console.log(`Integrity: ${pinned.integrity}`);
  for (const note of notes) console.error(`haft: ${escapeInvisible(note)}`);
  if (place.as === "project")
    console.log(
      `This is a workspace's file, and loads nothing until you trust it: haft config trust ${shownPath(place.file)}`,
    );
}
