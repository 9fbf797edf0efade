import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PackageManager } from "./package-managers.ts";
import { readPackageJson } from "./read-dependency.ts";

export interface ManagerCommand {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

interface Wanted {
  spec: string;
  name: string;
}

/** Describes the commands that install packages in one folder. Versions are exact, and scripts of packages run only if allowed. */
export interface ManagerCommands {
  add(wanted: Wanted): ManagerCommand;
  remove(name: string): ManagerCommand;
  restore(): ManagerCommand;
}

/**
 * @param version of yarn: version 1 has other commands
 * @param own the folder is independent of the folders above
 */
export function getManagerCommands(
  {
    name,
    lockFolder,
    version = "",
  }: Pick<PackageManager, "name" | "lockFolder"> & { version?: string | undefined },
  folder: string,
  { allowScripts, own }: { allowScripts: boolean; own: boolean },
): ManagerCommands {
  const silent = allowScripts ? [] : ["--ignore-scripts"];
  const plain = (...args: (string | readonly string[])[]): ManagerCommand => ({ args: args.flat(), env: {} });
  if (name === "npm") {
    const quiet = ["--no-audit", "--no-fund", ...silent];
    return {
      add: ({ spec }) => plain("install", "--save", "--save-exact", quiet, "--", spec),
      remove: (it) => plain("uninstall", "--save", quiet, "--", it),
      restore: () =>
        plain("install", quiet, existsSync(join(lockFolder, "package-lock.json")) ? [] : "--no-package-lock"),
    };
  }
  if (name === "pnpm") {
    // This project file is code.
    const alone = own ? ["--ignore-workspace"] : [];
    const root = existsSync(join(folder, "pnpm-workspace.yaml")) ? ["--workspace-root"] : [];
    const quiet = [...alone, ...(allowScripts ? [] : ["--ignore-scripts", "--ignore-pnpmfile"])];
    return {
      add: ({ spec, name: it }) =>
        plain(
          "add",
          "--save-prod",
          "--save-exact",
          quiet,
          root,
          allowScripts ? `--allow-build=${it}` : [],
          spec,
        ),
      remove: (it) => plain("remove", alone, root, it),
      restore: () => plain("install", quiet, "--no-frozen-lockfile"),
    };
  }
  if (name === "bun") {
    return {
      add: ({ spec }) => plain("add", "--exact", allowScripts ? "--trust" : silent, spec),
      remove: (it) => plain("remove", silent, it),
      restore: () => plain("install", silent),
    };
  }
  if (version.startsWith("1.")) {
    const quiet = ["--non-interactive", ...silent];
    const root = isWorkspaceRoot(folder) ? ["--ignore-workspace-root-check"] : [];
    return {
      add: ({ spec }) => plain("add", "--exact", quiet, root, spec),
      remove: (it) => plain("remove", quiet, root, it),
      restore: () => plain("install", quiet),
    };
  }
  const env = {
    YARN_ENABLE_TELEMETRY: "0",
    YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
    ...(allowScripts ? {} : { YARN_ENABLE_SCRIPTS: "0" }),
    // Node needs a loader for yarn's archives.
    ...(own ? { YARN_NODE_LINKER: "node-modules" } : {}),
  };
  return {
    add: ({ spec, name: it }) => ({
      args: ["add", "--exact", spec.startsWith(".") ? `${it}@file:${spec}` : spec],
      env,
    }),
    remove: (it) => ({ args: ["remove", it], env }),
    restore: () => ({ args: ["install"], env }),
  };
}

function isWorkspaceRoot(folder: string): boolean {
  return readPackageJson(folder)?.["workspaces"] !== undefined;
}
