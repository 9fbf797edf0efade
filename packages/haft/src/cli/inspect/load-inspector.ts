import { loadOptionalPackage } from "@haft/plugin-loader";

/**
 * Loads the inspector, which is installed beside `haft`.
 *
 * @param what needs it, as the beginning of a sentence
 * @throws HaftError `PACKAGE_MISSING`, with the line that installs it
 */
export function loadInspector(what = "The inspector"): Promise<typeof import("@haft/inspector")> {
  return loadOptionalPackage({ name: "@haft/inspector", what, load: () => import("@haft/inspector") });
}
