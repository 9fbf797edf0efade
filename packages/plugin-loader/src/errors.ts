import { defineErrors } from "@haft/core";

/** Defines the errors of this package, a source of docs/reference/errors.md. Other packages explain entries without a meaning. */
export const pluginLoaderError = /* @__PURE__ */ defineErrors(({ input, operational }) => ({
  CANCELLED: { category: "operational", receipt: "none" },
  CONFIG_INVALID: {
    category: "input",
    fix: "Correct the file; a configuration with a problem is not used at all.",
    receipt: "none",
  },
  CONFIG_UNSAFE: {
    category: "input",
    fix: "Take the others' rights away (chmod go-w), or give file and folder to this user; or name another file with --config.",
    receipt: "none",
  },
  FILE_UNWRITABLE: operational(
    "A configuration, a manifest, the folder of installed plugins, or the file that `--out` names cannot be read or written where it belongs. The message names it.",
    "Give this user the right to write there, or name another place with --config.",
  ),
  MANIFEST_WRONG: {
    category: "operational",
    fix: "Install another version, or have its author make it anew: `haft plugins manifest`.",
    receipt: "none",
  },
  PACKAGE_INSTALL_FAILED: operational(
    "The package manager did not install or remove a package of a plugin. Configuration, package.json and lockfile are what they were.",
    "See what it said.",
    "none",
  ),
  PACKAGE_INVALID: input(
    "What was to be added as a plugin is no package, no folder with one and no module.",
    "Write NAME or NAME@VERSION, ./folder, ./module.ts or ./package.tgz.",
    "none",
  ),
  PACKAGE_MISSING: operational(
    "A package that a part of Haft or a test needs is not installed, or was installed without a part of it.",
    "Run the line that the message gives, or install the package that it names.",
    "none",
  ),
  PLUGIN_CHANGED: {
    category: "operational",
    fix: "Start Haft again: then it is tried as it is now.",
    receipt: "none",
  },
  PLUGIN_UNHANDLED: operational(
    "A plugin called `process.exit`, a promise of it failed that nobody waited for, or a timer or a listener of it threw. That would have ended the host and all its sessions, and did not.",
    "Report it to the plugin's author: a tool throws, and waits for what it starts or catches what that throws.",
  ),
  PLUGIN_UNLOADABLE: {
    category: "operational",
    fix: "Start Haft again, or leave the plugin out; `haft plugins why` says more.",
    receipt: "none",
  },
}));
