import { pluginLoaderError } from "../errors.ts";
import { isGlobalInstall } from "./is-global-install.ts";

/** A package that {@link loadOptionalPackage} loads. */
export interface OptionalPackage<Module> {
  /** The name of the package. */
  name: string;
  /** What needs it, as the start of a sentence: `haft chat`. */
  what: string;
  /** Imports it. */
  load: () => Promise<Module>;
  /** Names of further packages that it needs. */
  beside?: readonly string[];
}

/**
 * Imports a package that is not a dependency, if it is installed.
 *
 * @throws HaftError `PACKAGE_MISSING` with the command that installs it; else the error that the package throws
 * @example
 * ```ts
 * import { loadOptionalPackage } from "@haft/plugin-loader";
 * const { createTelemetry } = await loadOptionalPackage({
 *   name: "@haft/otel",
 *   what: "The option telemetry",
 *   load: () => import("@haft/otel"),
 * });
 * ```
 */
export async function loadOptionalPackage<Module>(wanted: OptionalPackage<Module>): Promise<Module> {
  const { name, what, load, beside = [] } = wanted;
  try {
    return await load();
  } catch (thrown) {
    const missing = [name, ...beside].find((one) => isMissing(thrown, one));
    if (missing === undefined) throw thrown;
    const line = await installLine([name, ...beside]);
    throw pluginLoaderError(
      "PACKAGE_MISSING",
      `${what} needs ${missing}, which is not installed beside Haft.`,
      {
        fix: `Install it: ${line}`,
        details: { package: missing, install: line },
        cause: thrown,
      },
    );
  }
}

/** One that is there, and misses something else or is broken, says so itself. */
function isMissing(thrown: unknown, name: string): boolean {
  const { code, message } = (thrown ?? {}) as Partial<NodeJS.ErrnoException>;
  return code === "ERR_MODULE_NOT_FOUND" && message?.includes(`package '${name}'`) === true;
}

/** Packages of Haft share one version. @param names the first of them is Haft's */
async function installLine([own, ...others]: readonly string[]): Promise<string> {
  const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
  const where = isGlobalInstall(import.meta.dirname) ? " --global" : "";
  return `npm install${where} ${[`${own}@${manifest.version}`, ...others].join(" ")}`;
}
