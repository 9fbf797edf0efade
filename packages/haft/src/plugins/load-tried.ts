import type { AnyTool, HaftError } from "@haft/core";
import { inTime } from "../config/load-code.ts";
import type { PlacedPlugin } from "../config/placed-plugins.ts";
import { hostError } from "../errors.ts";
import { guardNamed } from "../trust/module-guard.ts";
import { type DescribedTool, describePlugin, describeTool, type SoundPlugin } from "./describe-plugin.ts";
import { areUnchanged } from "./file-stamps.ts";
import { holdStdout } from "./hold-stdout.ts";
import { importPlugin } from "./import-plugin.ts";
import { pinGuardOf } from "./packages/pinned-plugin.ts";
import type { PluginRecord } from "./plugin-record.ts";
import { isOther, whyUnloadable } from "./why-unloadable.ts";

export type TriedPlugin = PluginRecord & Required<Pick<PluginRecord, "file" | "plugin">>;

/** Module → the files it was loaded with: in one process a module is loaded once. */
const loadedWith = new Map<string, string>();

/**
 * Loads a plugin that was tried into this process, as it was tried.
 *
 * @throws HaftError `PLUGIN_CHANGED`, `PLUGIN_UNLOADABLE`, `CONFIG_UNTRUSTED`
 */
export async function loadTried({ use, source }: PlacedPlugin, record: TriedPlugin): Promise<SoundPlugin> {
  const { file, files, loader, plugin } = record;
  const hashes = JSON.stringify(Object.entries(files).map(([path, { hash }]) => [path, hash]));
  if ((loadedWith.get(file) ?? hashes) !== hashes)
    throw changed(`${use} was loaded by this process before its files changed`);
  if (!areUnchanged(files)) throw changed(`The files of ${use} are others than those that were tried`);
  loadedWith.set(file, hashes);
  // One that a trusted configuration of a workspace names is what was trusted with it.
  guardNamed(source, file);
  pinGuardOf(record)?.guard(file);
  const release = holdStdout();
  let read: Awaited<ReturnType<typeof describePlugin>>;
  try {
    const { module } = await inTime(importPlugin(file, loader));
    read = await describePlugin(module, use);
  } catch (thrown) {
    if (isOther(thrown)) throw thrown;
    const { message, fix } = whyUnloadable(use, thrown);
    throw hostError("PLUGIN_UNLOADABLE", message, { fix, cause: thrown });
  } finally {
    release();
  }
  if (!("plugin" in read))
    throw changed(`${use} is another plugin than the one that was tried. ${read.message}`);
  if (read.described.id !== plugin.id)
    throw changed(`${use} says that it is "${read.described.id}", and was "${plugin.id}" when it was tried`);
  return read;
}

/**
 * The tool of a plugin that was loaded.
 *
 * @throws HaftError `PLUGIN_CHANGED` where it is not the one that models and policies were told of
 */
export function sameTool({ tools }: SoundPlugin, { use }: PlacedPlugin, told: DescribedTool): AnyTool {
  const tool = tools.get(told.name);
  if (tool === undefined) throw changed(`${use} has no tool "${told.name}" any more`);
  const differs = differences(told, describeTool(tool));
  if (differs.length === 0) return tool;
  throw changed(`${use} has another ${differs.join(", ")} of "${told.name}" than when it was tried`);
}

function differences(told: DescribedTool, now: DescribedTool | undefined): string[] {
  const [one, other] = [told, now ?? {}] as Record<string, unknown>[];
  return [...new Set([...Object.keys(one!), ...Object.keys(other!)])].filter(
    (key) => JSON.stringify(one![key]) !== JSON.stringify(other![key]),
  );
}

export function changed(why: string): HaftError {
  return hostError("PLUGIN_CHANGED", `${why}, so its tools are not run.`);
}
