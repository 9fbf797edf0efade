import type { PluginReference } from "@haft/config/internal/document";
import { resolvePath } from "@haft/config/internal/settings";
import type { ModuleGuard } from "@haft/config/internal/trust";
import { existsSync, realpathSync, statSync } from "node:fs";
import { isBuiltin, registerHooks } from "node:module";
import { isAbsolute, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { PluginProblem } from "../describe/describe-plugin.ts";
import { isPluginChangedError, isUntrustedError, explainLoadError } from "./explain-load-error.ts";

/** Contains the real path; or the reason against it, with searched and missing paths. */
export type PluginResolution =
  | { file: string }
  | {
      problem: PluginProblem;
      searched: readonly string[];
      missing: readonly string[];
      isRefused?: boolean;
    };

type Named = Pick<PluginReference, "use" | "from">;

const PACKAGE = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*(?:\/[^\\]+)?$/i;

/**
 * Returns whether the name of a plugin is a path: it is absolute, or starts with `./`, `../` or `~/`.
 *
 * @example
 * ```ts run
 * import { isPath } from "@haft/plugin-loader/internal/plugins";
 * isPath("./weather.ts"); // => true
 * isPath("haft-plugin-weather"); // => false
 * ```
 */
export function isPath(use: string): boolean {
  return isAbsolute(use) || /^(?:\.{1,2}|~)(?:\/|$)/.test(use);
}

/**
 * Returns the absolute path of a plugin path. A relative path starts at `from`, and `~/` is the home folder.
 *
 * @example
 * ```ts run
 * import { getPluginPath } from "@haft/plugin-loader/internal/plugins";
 * getPluginPath({ use: "./weather.ts", from: "/etc/agent" }); // => "/etc/agent/weather.ts"
 * ```
 */
export function getPluginPath({ use, from }: Named): string {
  return resolvePath(use, from);
}

/**
 * Returns the folder for the package of a plugin, in the `node_modules` of `from`. It need not exist.
 *
 * @example
 * ```ts run
 * import { getPackageFolder } from "@haft/plugin-loader/internal/plugins";
 * const folder = getPackageFolder({ use: "@example/weather/extra", from: "/etc/agent" }); // => "/etc/agent/node_modules/@example/weather"
 * ```
 */
export function getPackageFolder({ use, from }: Named): string {
  return join(from, "node_modules", /^(?:@[^/]+\/)?[^/]+/.exec(use)?.[0] ?? use);
}

/**
 * Finds a path from the folder of the configuration, or a package in its `node_modules`. Folders above, the working folder and packages of
 * Haft are ignored, because a session could work there.
 */
export async function resolvePlugin(
  named: Named,
  guards: readonly ModuleGuard[] = [],
): Promise<PluginResolution> {
  return isPath(named.use) ? resolveFile(named) : resolvePackage(named, guards);
}

function resolveFile(named: Named): PluginResolution {
  const path = getPluginPath(named);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return { file: realpathSync(path) };
  if (stats === undefined)
    return notFound(`There is no file ${path}.`, "Correct the path.", { missing: [path] });
  const module = join(path, "src/index.ts");
  return notFound(`${path} is not a file.`, `Name the module that exports the plugin, such as ${module}.`);
}

async function resolvePackage(named: Named, guards: readonly ModuleGuard[]): Promise<PluginResolution> {
  const { use, from } = named;
  const [, name, version] = /^(@?[^@/]+(?:\/[^@]+)?)@(.+)$/.exec(use) ?? [];
  if (name !== undefined)
    return notFound(
      `${use} names a version, and a plugin is used as it is installed.`,
      `Write ${name}; \`haft plugins add ${name}@${version}\` installs that version.`,
    );
  if (!PACKAGE.test(use) || isBuiltin(use))
    return notFound(
      `${JSON.stringify(use)} is not a package of plugins.`,
      "Name one, or a file: ./plugin.ts.",
    );
  const folder = getPackageFolder(named);
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest)) {
    const isFile = statSync(join(from, use), { throwIfNoEntry: false })?.isFile() === true;
    return notFound(
      `There is no package ${use} in ${join(from, "node_modules")}.`,
      isFile ? `The file of that name is ./${use}.` : `Install it there: \`haft plugins add ${use}\`.`,
      { missing: [manifest] },
    );
  }
  try {
    const file = await resolveModule(use, from, (found, conditions) => {
      const parent = join(from, "configuration.js");
      for (const guard of guards) guard.confirm(realpathSync(found), { name: use, parent, conditions });
    });
    return { file: realpathSync(file) };
  } catch (thrown) {
    if (isPluginChangedError(thrown) || isUntrustedError(thrown))
      return { problem: explainLoadError(use, thrown), searched: [], missing: [], isRefused: true };
    const why = (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\.$/, "");
    return notFound(
      `The package in ${folder} has nothing to import as ${use}: ${why}.`,
      "Install another version, or report it to its author.",
      { looked: [manifest] },
    );
  }
}

let counter = 0;

export async function resolveModule(
  name: string,
  folder: string,
  observe: (file: string, conditions: readonly string[]) => void = () => {},
): Promise<string> {
  let found: string | undefined;
  let by: readonly string[] = [];
  // Makes the name unique, because Node caches results.
  const question = `haft:plugin-${++counter}`;
  const parentURL = pathToFileURL(join(folder, "configuration.js")).href;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== question) return next(specifier, context);
      found = next(name, { ...context, parentURL }).url;
      by = context.conditions;
      return { url: "data:text/javascript,", shortCircuit: true };
    },
  });
  try {
    await import(question);
  } finally {
    hooks.deregister();
  }
  const file = fileURLToPath(found!);
  observe(file, by);
  return file;
}

function notFound(
  message: string,
  fix: string,
  { looked = [], missing = [] }: { looked?: readonly string[]; missing?: readonly string[] } = {},
): PluginResolution {
  return { problem: { code: "PLUGIN_NOT_FOUND", message, fix }, searched: looked, missing };
}
