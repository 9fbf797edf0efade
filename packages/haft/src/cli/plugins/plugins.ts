import { sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { action, defineCommand, FLAG, TEXT } from "../usage.ts";
import { addPluginCommand } from "./add.ts";
import { checkPlugins } from "./check.ts";
import { showPlugin } from "./info.ts";
import { listPlugins } from "./list.ts";
import { makeManifest } from "./manifest.ts";
import { removePluginCommand } from "./remove.ts";
import { updatePluginCommand } from "./update.ts";
import { whyPlugin } from "./why.ts";

const help = `haft plugins add NAME[@VERSION]|./folder|./package.tgz [--project] [--allow-scripts] [--dry-run]
haft plugins update [NAME[@VERSION]] [--project] [--allow-scripts] [--dry-run]
haft plugins remove NAME [--project]
haft plugins list
haft plugins info NAME
haft plugins why TOOL|PLUGIN [--session KIND]
haft plugins check [PATH] [--fix] [--seed N] [--limit N]
haft plugins manifest [PATH] [--dry-run]

Plugins add tools. A configuration names them. They are installed next to it, and run in Haft's process.

add       Installs a package with your package manager and its settings, in one exact version. Tries it in a separate
          process and, if that succeeds, adds its name to the configuration. If not, everything stays as it was. A
          folder or a module stays where it is, and the configuration contains its path.
update    Installs the newest version of a plugin, or of all from a registry, in the same way. Prints changes of tools,
          parameters, effects, hosts and configuration keys before they take effect. If your configuration does not
          fit the new version, the old one stays, and the exit code is 1. --dry-run prints the changes only.
remove    Removes a plugin from the configuration, and its package unless others use it.
list      Lists all configured plugins and their state.
info      Shows all known facts about a plugin: its package, its tools with parameters, effects and cost, its files.
why       Explains why a tool or a plugin is there or missing, and the smallest change that adds it.
check     Tries a plugin, calls its tools with arguments made from their schemas, and prints every problem with its
          fix; default: the package in this folder. For authors, and for CI. Runs in separate processes, with files
          in memory and a simulated network, and at the end in a sandbox. Its tools do not read or write your
          files. Prints problems and warnings only, unless --verbose.
manifest  Writes haft.plugin.json next to the package.json of a plugin, made from its code: it shows the tools to
          others without running the plugin. With --dry-run: prints differences, and the exit code is 1 if there
          are any. Default: the package in this folder.

      --project             with add, update, remove: the configuration of the project around this folder, instead of
                            your own; its plugins load after you trust it: see haft config trust
      --allow-scripts       with add, update: allow scripts of the package and its dependencies
  -n, --dry-run             with add, update, remove, manifest: show the steps and change nothing
      --seed N              with check: repeat the same arguments; a failed check prints its number
      --limit N             with check: calls of each tool; default: 60
      --fix                 with check: write haft.plugin.json if it is missing or differs from the code
      --verbose             with check: print the checks that passed as well, and all tools
      --json                print JSON for programs

${sessionArgumentsHelp}

Exit codes: 0 if all is correct, 1 if not, 2 for wrong usage.`;

const { config, workspace, state } = sessionArguments;
const dryRun = { type: "boolean", short: "n" } as const;

/** Without session options: inspection can load plugins, which needs trust. */
const targetOptions = { config, workspace, state, json: FLAG, project: FLAG, "dry-run": dryRun } as const;
const ofSession = { ...sessionArguments, json: FLAG } as const;

export const pluginsCommand = defineCommand(help, {
  add: action({
    options: { ...targetOptions, "allow-scripts": FLAG },
    decides: "add a plugin",
    names: "file",
    most: 1,
    needs: "Name a plugin: haft plugins add NAME[@VERSION], ./folder or ./package.tgz.",
    run: addPluginCommand,
  }),
  update: action({
    options: { ...targetOptions, "allow-scripts": FLAG },
    decides: "update a plugin",
    most: 1,
    run: updatePluginCommand,
  }),
  remove: action({
    options: targetOptions,
    decides: "remove a plugin",
    most: 1,
    needs: "Name a plugin: haft plugins list shows all.",
    run: removePluginCommand,
  }),
  list: action({ options: ofSession, run: listPlugins }),
  info: action({
    options: ofSession,
    most: 1,
    needs: "Name a plugin: haft plugins info NAME; haft plugins list shows all.",
    run: showPlugin,
  }),
  why: action({
    options: ofSession,
    names: "tool",
    most: 1,
    needs: "Name a tool or a plugin: haft plugins why NAME.",
    run: whyPlugin,
  }),
  check: action({
    options: { ...ofSession, seed: TEXT, limit: TEXT, fix: FLAG, verbose: FLAG },
    names: "file",
    most: Infinity,
    run: checkPlugins,
  }),
  manifest: action({
    options: { json: FLAG, "dry-run": dryRun },
    names: "file",
    most: 1,
    run: makeManifest,
  }),
});
