import { sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { defineCommand } from "../usage.ts";
import { addPlugin } from "./add.ts";
import { checkPlugins } from "./check.ts";
import { showPlugin } from "./info.ts";
import { listPlugins } from "./list.ts";
import { makeManifest } from "./manifest.ts";
import type { PluginsAction } from "./plugins-action.ts";
import { removePlugin } from "./remove.ts";
import { whyPlugin } from "./why.ts";

const help = `haft plugins add NAME[@VERSION]|./folder|./package.tgz [--project] [--allow-scripts] [--dry-run]
haft plugins remove NAME [--project]
haft plugins list
haft plugins info NAME
haft plugins why TOOL|PLUGIN [--session KIND]
haft plugins check [PATH] [--seed N] [--runs N]
haft plugins manifest [PATH] [--write|--check]

Plugins bring tools. They are named in a configuration, installed beside it, and run in Haft's process.

add       Installs a package with your package manager and its settings, in one exact version; tries it in a
          process of its own; and names it in the configuration if that went well. If not, everything is as
          it was before. A folder or a module stays where it is, and is named by its path.
remove    Takes it out of the configuration, and its package out of the packages, unless others use it.
list      Every plugin that is named, and what became of it.
info      All that is known of one: its package, its tools with their parameters, effects and cost, its files.
why       Why a tool or a plugin is there, or is not there, and the smallest change that would bring it.
check     Tries a plugin as it would be loaded, calls its tools with arguments made from their schemas, and
          prints every problem with its fix; default: the package in this folder. For authors, and for CI.
          All of it happens in processes of its own, over files in memory and a network of pretence, and
          at the end in a sandbox. Nothing of yours is read or written by its tools.
manifest  Prints haft.plugin.json of a plugin, made from its code: what it offers, for those who look at it
          without running it. Default: the package in this folder.

      --project             with add and remove: the configuration of the project around this folder, instead
                            of your own; its plugins are loaded once you trust it: see haft trust --help
      --allow-scripts       with add: the package and what it needs may run their scripts
      --dry-run             with add and remove: say what would be done
      --write               with manifest: into the file, beside package.json
      --check               with manifest: say whether the file is what the code is
      --seed N              with check: the same arguments again; one that failed says its number
      --runs N              with check: calls of each tool; 60 by default
      --json                for programs

${sessionArgumentsHelp}

Exit codes: 0 when all is well, 1 when not, 2 for wrong usage.`;

/** Which configuration is meant. */
const OF_PLACE = ["config", "workspace", "state", "json"];
const OF_SESSION = [...Object.keys(sessionArguments), "json"];

/** A project's plugins are not looked at before it is trusted: looking at one can mean trying it. */
const ACTIONS = {
  add: { options: [...OF_PLACE, "project", "allow-scripts", "dry-run"], names: "file" },
  remove: { options: [...OF_PLACE, "project", "dry-run"] },
  list: { options: OF_SESSION },
  info: { options: OF_SESSION },
  why: { options: OF_SESSION, names: "tool" },
  check: { options: [...OF_SESSION, "seed", "runs"], names: "file" },
  manifest: { options: ["json", "write", "check"], names: "file" },
} as const;

const actions: Readonly<Record<keyof typeof ACTIONS, PluginsAction>> = {
  add: addPlugin,
  remove: removePlugin,
  list: listPlugins,
  info: showPlugin,
  why: whyPlugin,
  check: checkPlugins,
  manifest: makeManifest,
};

export const pluginsCommand = defineCommand(
  help,
  {
    ...sessionArguments,
    project: { type: "boolean" },
    "allow-scripts": { type: "boolean" },
    "dry-run": { type: "boolean" },
    write: { type: "boolean" },
    check: { type: "boolean" },
    seed: { type: "string" },
    runs: { type: "string" },
    json: { type: "boolean" },
  },
  async (values, positionals) => {
    const [action, ...words] = positionals as [keyof typeof ACTIONS, ...string[]];
    return actions[action](words, values);
  },
  { actions: ACTIONS },
);
