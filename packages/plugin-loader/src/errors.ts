import { defineErrors } from "@haft/core";

/** Defines the errors of this package, a source of docs/reference/errors.md. Other packages explain entries without a meaning. */
export const pluginLoaderError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  CANCELLED: { category: "operational", receipt: "none" },
  CONFIG_INVALID: {
    category: "input",
    fix: "Correct the file. Haft uses no part of a configuration with an error.",
    receipt: "none",
  },
  CONFIG_UNSAFE: {
    category: "input",
    fix: "Remove write access for other users (chmod go-w), or make this user the owner of file and folder. Or name another file with --config.",
    receipt: "none",
  },
  FILE_UNWRITABLE: operational(
    "A configuration, a manifest, the folder of installed plugins, or the file of `--out` cannot be read or written. The message names it.",
    "Give this user write access, or name another path with --config.",
  ),
  MANIFEST_WRONG: {
    category: "operational",
    fix: "Install another version, or ask its author to regenerate the manifest: `haft plugins manifest`.",
    receipt: "none",
  },
  PACKAGE_INSTALL_FAILED: operational(
    "The package manager failed to install or remove a package of a plugin. Configuration, package.json and lockfile are unchanged.",
    "Read its output.",
    "none",
  ),
  PACKAGE_INVALID: input(
    "The name of a plugin to add is not a package, a folder with a package, or a module.",
    "Write NAME or NAME@VERSION, ./folder, ./module.ts or ./package.tgz.",
    "none",
  ),
  PACKAGE_MISSING: operational(
    "A package that a part of Haft or a test needs is not installed, or its installation is incomplete.",
    "Run the command in the message, or install the package that it names.",
    "none",
  ),
  PLUGIN_CHANGED: {
    category: "operational",
    fix: "Start Haft again. Haft then tries the new version.",
    receipt: "none",
  },
  PLUGIN_CONFIG_INVALID: {
    category: "input",
    fix: "Correct the key in the configuration.",
    receipt: "none",
  },
  PLUGIN_UNHANDLED: operational(
    "A plugin called `process.exit`, left a rejected promise unhandled, or threw in a timer or a listener. Haft prevented the end of the host and its sessions; it cannot for a plugin that a program gives as an object.",
    "Report it to the plugin's author. A tool must throw its errors, and await or catch the work that it starts.",
  ),
  PLUGIN_UNLOADABLE: {
    category: "operational",
    fix: "Start Haft again, or remove the plugin. `haft plugins why` prints the reason.",
    receipt: "none",
  },
}));
