import { sessionArguments, sessionArgumentsHelp } from "../session-arguments.ts";
import { action, defineCommand, FLAG, TEXT } from "../usage.ts";
import { addPluginCommand } from "./add.ts";
import { checkPlugins } from "./check.ts";
import { showPlugin } from "./info.ts";
import { listPlugins } from "./list.ts";
import { makeManifest } from "./manifest.ts";
import { removePluginCommand } from "./remove.ts";
import { whyPlugin } from "./why.ts";

const help = `haft plugins add NAME[@VERSION]|./folder|./package.tgz [--project] [--allow-scripts] [--dry-run]
haft plugins remove NAME [--project]
haft plugins list
haft plugins info NAME
haft plugins why TOOL|PLUGIN [--session KIND]
haft plugins check [PATH] [--seed N] [--limit N]
haft plugins manifest [PATH] [--dry-run]

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
manifest  Writes haft.plugin.json of a plugin beside its package.json, made from its code: what it offers, for those who
          look at it without running it. With --dry-run: prints what is not as the file says, and the
          exit code is 1 then. Default: the package in this folder.

      --project             with add and remove: the configuration of the project around this folder, instead
                            of your own; its plugins are loaded once you trust it: see haft config trust
      --allow-scripts       with add: the package and what it needs may run their scripts
  -n, --dry-run             with add, remove and manifest: say what would be done, and change nothing
      --seed N              with check: the same arguments again; one that failed says its number
      --limit N             with check: calls of each tool; 60 by default
      --json                for programs

${sessionArgumentsHelp}

Exit codes: 0 when all is well, 1 when not, 2 for wrong usage.`;

const { config, workspace, state } = sessionArguments;
const dryRun = { type: "boolean", short: "n" } as const;

/** No options for sessions: inspecting plugins can load them, which needs trust. */
const ofPlace = { config, workspace, state, json: FLAG, project: FLAG, "dry-run": dryRun } as const;
const ofSession = { ...sessionArguments, json: FLAG } as const;

export const pluginsCommand = defineCommand(help, {
  add: action({
    options: { ...ofPlace, "allow-scripts": FLAG },
    decides: "add a plugin",
    names: "file",
    most: 1,
    needs: "Which plugin? haft plugins add NAME[@VERSION], ./folder or ./package.tgz.",
    run: addPluginCommand,
  }),
  remove: action({
    options: ofPlace,
    decides: "remove a plugin",
    most: 1,
    needs: "Which plugin? haft plugins list shows those that are named.",
    run: removePluginCommand,
  }),
  list: action({ options: ofSession, run: listPlugins }),
  info: action({
    options: ofSession,
    most: 1,
    needs: "Which plugin? haft plugins info NAME; haft plugins list shows all.",
    run: showPlugin,
  }),
  why: action({
    options: ofSession,
    names: "tool",
    most: 1,
    needs: "Which tool, or plugin? haft plugins why NAME.",
    run: whyPlugin,
  }),
  check: action({
    options: { ...ofSession, seed: TEXT, limit: TEXT },
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
