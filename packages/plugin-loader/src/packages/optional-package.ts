import { pluginLoaderError } from "../errors.ts";
import { isGlobalInstall } from "./is-global-install.ts";

/** Describes a package for {@link loadOptionalPackage}. */
export interface OptionalPackage<Module> {
  /** Names the package. */
  name: string;
  /** Starts a sentence with the feature: `haft chat`. */
  what: string;
  /** Imports it. */
  load: () => Promise<Module>;
  /** Names other required packages. */
  beside?: readonly string[];
}

/**
 * Imports a package that is not a dependency, if it is installed.
 *
 * @throws HaftError `PACKAGE_MISSING` with the command that installs it; else the error of the package
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

/** A broken package reports its own error. */
function isMissing(thrown: unknown, name: string): boolean {
  const { code, message } = (thrown ?? {}) as Partial<NodeJS.ErrnoException>;
  return code === "ERR_MODULE_NOT_FOUND" && message?.includes(`package '${name}'`) === true;
}

/** Packages of Haft share one version. @param names starts with the package of Haft */
async function installLine([haftPackage, ...others]: readonly string[]): Promise<string> {
  const { default: manifest } = await import("../../package.json", { with: { type: "json" } });
  const where = isGlobalInstall(import.meta.dirname) ? " --global" : "";
  return `npm install${where} ${[`${haftPackage}@${manifest.version}`, ...others].join(" ")}`;
}
