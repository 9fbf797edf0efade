import { withLoadingTimeout, type PluginReference } from "@haft/config/internal/document";
import { guardNamed } from "@haft/config/internal/trust";
import type { AnyTool, HaftError } from "@haft/core";
import {
  type DescribedTool,
  describePlugin,
  describeTool,
  type SoundPlugin,
} from "../describe/describe-plugin.ts";
import { areUnchanged } from "../describe/file-stamps.ts";
import { pluginLoaderError } from "../errors.ts";
import { captureStdout, markPluginOutput } from "./capture-stdout.ts";
import { isPluginChangedError, explainLoadError } from "./explain-load-error.ts";
import { importPlugin } from "./import-plugin.ts";
import { getPinGuard } from "./pinned-plugin.ts";
import type { PluginRecord } from "./plugin-record.ts";

export type TriedPlugin = PluginRecord & Required<Pick<PluginRecord, "file" | "plugin">>;

/** A process loads a module once. Values: the files with which it was loaded. */
const loadedWith = new Map<string, string>();

/**
 * The plugin must be unchanged.
 *
 * @throws HaftError `PLUGIN_CHANGED`, `PLUGIN_UNLOADABLE`, `CONFIG_UNTRUSTED`
 */
export async function loadTriedPlugin(
  { use, source }: PluginReference,
  record: TriedPlugin,
): Promise<SoundPlugin> {
  const { file, files, loader, plugin } = record;
  const hashes = JSON.stringify(Object.entries(files).map(([path, { hash }]) => [path, hash]));
  if ((loadedWith.get(file) ?? hashes) !== hashes)
    throw pluginChangedError(`${use} was loaded by this process before its files changed`);
  if (!areUnchanged(files))
    throw pluginChangedError(`The files of ${use} are others than those that were tried`);
  loadedWith.set(file, hashes);
  // A plugin of a trusted workspace configuration must equal the trusted version.
  guardNamed(source, file);
  getPinGuard(record)?.guard(file);
  const release = captureStdout();
  let read: Awaited<ReturnType<typeof describePlugin>>;
  try {
    const { module } = await withLoadingTimeout(markPluginOutput(() => importPlugin(file, loader)));
    read = await describePlugin(module, use);
  } catch (thrown) {
    if (isPluginChangedError(thrown)) throw thrown;
    const { message, fix } = explainLoadError(use, thrown);
    throw pluginLoaderError("PLUGIN_UNLOADABLE", message, { fix, cause: thrown });
  } finally {
    release();
  }
  if (!("plugin" in read))
    throw pluginChangedError(`${use} is another plugin than the one that was tried. ${read.message}`);
  if (read.described.id !== plugin.id)
    throw pluginChangedError(
      `${use} says that it is "${read.described.id}", and was "${plugin.id}" when it was tried`,
    );
  return read;
}

/** @throws HaftError `PLUGIN_CHANGED` if the tool differs from the tool that models and policies saw */
export function requireSameTool(
  { tools }: SoundPlugin,
  { use }: PluginReference,
  recorded: DescribedTool,
): AnyTool {
  const tool = tools.get(recorded.name);
  if (tool === undefined) throw pluginChangedError(`${use} has no tool "${recorded.name}" any more`);
  const differs = differences(recorded, describeTool(tool));
  if (differs.length === 0) return tool;
  throw pluginChangedError(
    `${use} has another ${differs.join(", ")} of "${recorded.name}" than when it was tried`,
  );
}

function differences(recorded: DescribedTool, now: DescribedTool | undefined): string[] {
  const [one, other] = [recorded, now ?? {}] as Record<string, unknown>[];
  return [...new Set([...Object.keys(one!), ...Object.keys(other!)])].filter(
    (key) => JSON.stringify(one![key]) !== JSON.stringify(other![key]),
  );
}

export function pluginChangedError(why: string): HaftError {
  return pluginLoaderError("PLUGIN_CHANGED", `${why}, so its tools are not run.`);
}
