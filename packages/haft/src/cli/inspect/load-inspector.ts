import type * as Inspector from "@haft/inspector";
import { loadOptionalPackage } from "@haft/plugin-loader/optional-package";

/**
 * Loads the inspector, which is installed beside `haft`.
 *
 * @param what needs it, as the beginning of a sentence
 * @throws HaftError `PACKAGE_MISSING`, with the line that installs it
 */
export function loadInspector(what = "The inspector"): Promise<typeof Inspector> {
  return loadOptionalPackage({ name: "@haft/inspector", what, load: () => import("@haft/inspector") });
}
