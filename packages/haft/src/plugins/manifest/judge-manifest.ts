import { dirname, sep } from "node:path";
import type { DescribedPlugin } from "../describe-plugin.ts";
import { readManifest } from "../packages/pinned.ts";
import type { PluginProblem } from "../plugin-problem.ts";
import { compareManifest } from "./compare-manifest.ts";
import { MANIFEST_FILE, type Manifest, manifestOf } from "./manifest.ts";
import { manifestFileOf, readManifestFile } from "./read-manifest.ts";

export interface JudgedManifest {
  file?: string;
  /** It is believed: the code does nothing beyond it. */
  manifest?: Manifest;
  problem?: PluginProblem;
  notes: readonly string[];
}

/**
 * Looks at the manifest beside a plugin.
 *
 * @param module of the plugin
 * @param described what the plugin is; `undefined` where it could not be loaded
 */
export function judgeManifest(module: string, described: DescribedPlugin | undefined): JudgedManifest {
  const file = manifestFileOf(module);
  const found = file === undefined ? undefined : readManifestFile(file);
  if (file === undefined || found === undefined) return { ...(file && { file }), notes: [] };
  if ("problem" in found) return { file, notes: [], problem: wrong(`${file} ${found.problem}.`) };
  const { manifest } = found;
  if (described === undefined) return { file, manifest, notes: [] };
  // In a folder of several plugins it may be another's.
  const isInstalled = module.includes(`${sep}node_modules${sep}`);
  if (!isInstalled && manifest.id !== described.id) return { file, notes: [] };
  const { untrue, outdated } = compareManifest(manifest, manifestOf(described, readManifest(dirname(file))));
  if (untrue.length > 0)
    return {
      file,
      notes: [],
      problem: wrong(`${file} is not true of plugin "${described.id}": ${untrue.slice(0, MOST).join("; ")}.`),
    };
  const notes =
    outdated.length === 0
      ? []
      : [
          `${MANIFEST_FILE} says otherwise than its code: ${outdated.slice(0, MOST).join(", ")}. haft plugins manifest makes it anew.`,
        ];
  return { file, manifest, notes };
}

const MOST = 8;

function wrong(message: string): PluginProblem {
  return {
    code: "MANIFEST_WRONG",
    message,
    fix: "Install another version, or have its author make it anew: haft plugins manifest.",
  };
}
