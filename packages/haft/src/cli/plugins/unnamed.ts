import { escapeInvisible } from "@haft/core/internal";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultStateFolder } from "../../boundary/state-folder.ts";
import { findConfiguration, type LookedFor } from "../../config/find-configuration.ts";
import { dependencyOf } from "../../plugins/packages/pinned.ts";
import { readWorkspaceValue } from "../session-arguments.ts";
import type { PluginsValues } from "./plugins-action.ts";
import { readPlace, shownPath } from "./plugins-place.ts";

/**
 * Why nobody has a tool or a plugin of this name: what was looked at, and whether it stands in a configuration that is not used, or
 * is installed and not named.
 */
export async function unnamed(word: string, values: PluginsValues): Promise<{ reason: string; fix: string }> {
  const shown = escapeInvisible(word);
  if (values["no-config"])
    return {
      reason: `No plugin here has a tool or the name "${shown}", and --no-config reads no configuration that could name one.`,
      fix: "Leave --no-config out, or name the plugin's module: --plugin ./index.ts.",
    };
  const place = await readPlace(values);
  const looked = await lookedFor(values);
  const unused = looked.find((each) => each.outcome === "passed over" && mentions(each.path, word));
  if (unused !== undefined)
    return {
      reason: `"${shown}" stands in ${shownPath(unused.path)}, which is not used: it ${unused.why ?? "was passed over"}.`,
      fix: `Where you trust it, name the plugin in ${shownPath(place.file)}.`,
    };
  if (
    existsSync(join(place.folder, "node_modules", word, "package.json")) ||
    dependencyOf(place.folder, word) !== undefined
  )
    return {
      reason: `The package "${shown}" is installed in ${shownPath(place.folder)}, and no configuration names it.`,
      fix: `haft plugins add ${shown} tries it and names it; or write it into plugins of ${shownPath(place.file)}.`,
    };
  const used = looked.filter(({ outcome }) => outcome === "used").map(({ path }) => shownPath(path));
  const where = used.length === 0 ? "no configuration was found" : `looked at ${used.join(", ")}`;
  return {
    reason: `No plugin that is named has a tool "${shown}" or is called so (${where}).`,
    fix: "Name the plugin that has it: haft plugins add NAME.",
  };
}

async function lookedFor(values: PluginsValues): Promise<readonly LookedFor[]> {
  const { looked } = await findConfiguration({
    ...(values.config === undefined ? {} : { named: values.config }),
    workspaceDir: readWorkspaceValue(values.workspace),
    hasPolicy: values.policy !== undefined,
    stateDir: values.state ?? defaultStateFolder(),
  });
  return looked;
}

/** As a word of its own: as the name of a package or of a file. */
function mentions(path: string, word: string): boolean {
  try {
    return readFileSync(path, "utf8")
      .split(/[\s"',[\]{}]+/)
      .includes(word);
  } catch {
    return false;
  }
}
