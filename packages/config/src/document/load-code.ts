import { HaftError, getErrorMessage } from "@haft/core";
import { withTimeout } from "@haft/utils";
import { realpathSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { resolveBesideHaft } from "../boundary/haft-packages.ts";
import { LOADING_MS } from "../defaults.ts";
import { configError } from "../errors.ts";
import { guardModule, type ModuleGuard, withoutQuery, resolveHaftPackage } from "../trust/module-guard.ts";

export interface LoadedCode {
  value: unknown;
  files: readonly string[];
}

const known = new Map<string, Set<string>>();

export function isCode(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path);
}

/**
 * Runs a configuration that the operator named. Unresolved imports of `haft` or `@haft/…` get the running packages, because `~/.config` has
 * no packages.
 *
 * @param guard for a file in a workspace: refuses untrusted modules before they run
 * @throws HaftError `CONFIG_INVALID` if it cannot be loaded, or has no default export; `CONFIG_UNTRUSTED`
 */
export async function loadCode(path: string, guard?: ModuleGuard): Promise<LoadedCode> {
  let file = path;
  try {
    file = realpathSync(path);
  } catch {
    // The import reports the missing file.
  }
  const url = pathToFileURL(file).href;
  const loaded = known.get(url) ?? new Set([url]);
  known.set(url, loaded);
  if (guard !== undefined) {
    guardModule(url, guard);
    const stale = guard.staleFile();
    if (stale !== undefined)
      throw configError("CONFIG_INVALID", `${stale} was loaded by this process as it was before.`, {
        fix: "Start the process again: code is loaded once.",
      });
  }
  const hooks = registerHooks({
    resolve(name, context, next) {
      const from = withoutQuery(context.parentURL ?? "");
      if (!loaded.has(from)) return next(name, context);
      const found = resolveHaftPackage(
        name,
        () => next(name, context),
        () => resolveBesideHaft((parentURL) => next(name, { ...context, parentURL })),
      );
      if (found.url.startsWith("file:")) loaded.add(withoutQuery(found.url));
      return found;
    },
  });
  try {
    const { default: value } = (await withLoadingTimeout(import(url))) as { default?: unknown };
    if (value === undefined)
      throw new Error("it has no default export; write export default defineConfig({ … })");
    return { value, files: [...loaded].map((each) => fileURLToPath(each)) };
  } catch (thrown) {
    if (HaftError.is(thrown) && thrown.code === "CONFIG_UNTRUSTED") throw thrown;
    throw configError(
      "CONFIG_INVALID",
      `${path} cannot be loaded: ${getErrorMessage(thrown).replace(/\.$/, "")}.`,
      {
        cause: thrown,
        fix: fixFor(thrown),
      },
    );
  } finally {
    hooks.deregister();
  }
}

function fixFor(thrown: unknown): string {
  if ((thrown as NodeJS.ErrnoException).code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX")
    return "Node only removes types: remove enums, namespaces and parameter properties.";
  return "Correct it; node FILE shows where it fails.";
}

/** @throws Error after {@link LOADING_MS} */
export function withLoadingTimeout<T>(work: Promise<T>): Promise<T> {
  const error = () => new Error(`it was not done after ${LOADING_MS / 1000} seconds`);
  return withTimeout(work, LOADING_MS, { error });
}
