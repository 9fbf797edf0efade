import { resolveBesideHaft } from "@haft/config/internal/boundary";
import { guardModuleCompiler, withoutQuery, resolveHaftPackage } from "@haft/config/internal/trust";
import { getErrorMessage } from "@haft/core";
import { createRequire, findPackageJSON, registerHooks } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { NeedsTsx } from "./explain-load-error.ts";
import type { PluginRecord } from "./plugin-record.ts";
import { resolveModule } from "./resolve-plugin.ts";

export interface ImportedPlugin {
  module: Readonly<Record<string, unknown>>;
  loader: PluginRecord["loader"];
}

/** Receives dependencies of a plugin before they are used. */
export interface LoadObserver {
  uses(file: string): void;
  /** Receives a requested path or `node_modules` folder that does not exist. */
  misses(path: string): void;
}

const NO_OBSERVER: LoadObserver = { uses() {}, misses() {} };
const UNSUPPORTED = "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";

/**
 * Imports of `haft` or `@haft/…` that cannot be resolved get the running packages.
 *
 * @param file real path
 * @param loader the known loader; else Node, then `tsx` of the plugin's project
 * @throws the error of the module, and {@link NeedsTsx}
 */
export async function importPlugin(
  file: string,
  loader?: PluginRecord["loader"],
  witness: LoadObserver = NO_OBSERVER,
): Promise<ImportedPlugin> {
  const url = pathToFileURL(file).href;
  const hooks = watch(url, witness);
  try {
    if (loader !== "tsx") {
      try {
        return { module: (await import(url)) as ImportedPlugin["module"], loader: "node" };
      } catch (thrown) {
        if (codeOf(thrown) !== UNSUPPORTED) throw thrown;
        const module = await importWithTsx(file, url, witness);
        if (module === undefined) throw new NeedsTsx(getErrorMessage(thrown), { cause: thrown });
        return { module, loader: "tsx" };
      }
    }
    const module = await importWithTsx(file, url, witness);
    if (module === undefined) throw new NeedsTsx("tsx, which it was tried with, is not there any more");
    return { module, loader };
  } finally {
    hooks.deregister();
  }
}

function watch(url: string, witness: LoadObserver) {
  const its = new Set([url]);
  const haftFiles = new Set<string>();
  const manifests = new Set<string | undefined>();
  const note = (found: string) => {
    if (its.has(found) || !found.startsWith("file:")) return;
    its.add(found);
    noteFile(found);
  };
  const noteFile = (found: string) => {
    witness.uses(fileURLToPath(found));
    const manifest = findPackageJSON(found);
    if (manifest === undefined || manifests.has(manifest)) return;
    manifests.add(manifest);
    witness.uses(manifest);
  };
  noteFile(url);
  // A nearer `package.json` would decide the kind of module.
  witness.misses(fileURLToPath(new URL("package.json", url)));
  return registerHooks({
    resolve(name, context, next) {
      const from = withoutQuery(context.parentURL ?? "");
      if (!its.has(from)) {
        const found = next(name, context);
        // Running packages are compared by their version.
        if (haftFiles.has(from)) haftFiles.add(withoutQuery(found.url));
        return found;
      }
      try {
        let isHaft = false;
        const found = resolveHaftPackage(
          name,
          () => next(name, context),
          () => {
            isHaft = true;
            // A requiring module must not act for another.
            return {
              url: pathToFileURL(resolveBesideHaft((importer) => createRequire(importer).resolve(name))).href,
              shortCircuit: true,
            };
          },
        );
        if (isHaft) haftFiles.add(withoutQuery(found.url));
        else note(withoutQuery(found.url));
        return found;
      } catch (thrown) {
        for (const path of wouldBe(name, from)) witness.misses(path);
        throw thrown;
      }
    },
  });
}

/** The result depends on the version of `tsx` in the plugin's project. */
async function importWithTsx(
  file: string,
  url: string,
  witness: LoadObserver,
): Promise<ImportedPlugin["module"] | undefined> {
  let path: string;
  try {
    path = await resolveModule("tsx/esm/api", dirname(file));
  } catch {
    for (const missed of wouldBe("tsx", url)) witness.misses(missed);
    return undefined;
  }
  guardModuleCompiler(url, path);
  witness.uses(path);
  const manifest = findPackageJSON(pathToFileURL(path));
  if (manifest !== undefined) witness.uses(manifest);
  const { tsImport } = (await import(pathToFileURL(path).href)) as {
    tsImport: (specifier: string, options: object) => Promise<ImportedPlugin["module"]>;
  };
  return tsImport(url, {
    parentURL: url,
    onImport: (imported: string) => {
      if (imported.startsWith("file:")) witness.uses(fileURLToPath(withoutQuery(imported)));
    },
  });
}

function wouldBe(name: string, from: string): string[] {
  if (!from.startsWith("file:")) return [];
  if (/^\.{0,2}\//.test(name)) return [fileURLToPath(new URL(name, from))];
  const packageName = /^(?:@[^/]+\/)?[^/:]+/.exec(name)?.[0];
  if (packageName === undefined) return [];
  const candidates: string[] = [];
  for (let folder = new URL(".", from); ; folder = new URL("..", folder)) {
    candidates.push(fileURLToPath(new URL(`node_modules/${packageName}`, folder)));
    if (folder.pathname === "/") return candidates;
  }
}

function codeOf(thrown: unknown): unknown {
  return (thrown as NodeJS.ErrnoException | undefined)?.code;
}
