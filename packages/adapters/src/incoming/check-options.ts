import type { HaftError, ToolEffect } from "@haft/core";
import { adapterError } from "../errors.ts";
import { type BridgeOptions, OPTION_NAMES } from "./bridge-options.ts";
import { ALL_EFFECTS, isList } from "./effects.ts";

const EFFECTS: ReadonlySet<unknown> = new Set<ToolEffect>(ALL_EFFECTS);

/**
 * Requires that options name existing tools: after a typo, a tool would have other effects.
 *
 * @param bridge for messages: `fromAISDK`
 * @param own names of the tools in their framework
 * @param more additional options of this bridge
 * @throws `BRIDGE_INVALID`
 */
export function checkAdapterOptions(
  bridge: string,
  options: BridgeOptions,
  own: readonly string[],
  more: readonly string[] = [],
): void {
  requireId(bridge, options);
  const known = [...OPTION_NAMES, ...more];
  for (const key of Object.keys(options)) {
    if (!known.includes(key))
      throw createBridgeError(
        `${bridge} has no option ${JSON.stringify(key)}.`,
        `Its options are ${known.join(", ")}.`,
      );
  }
  const { effects, rename = {}, optional } = options;
  if (effects !== undefined) checkEffects(effects, own);
  for (const name of Object.keys(rename)) knownTool("rename", name, own);
  if (Array.isArray(optional)) for (const name of optional as string[]) knownTool("optional", name, own);
}

/** @throws `BRIDGE_INVALID` without an id */
export function requireId(bridge: string, options: BridgeOptions): void {
  const given: unknown = options;
  if (typeof given === "object" && given !== null && typeof (given as BridgeOptions).id === "string") return;
  throw createBridgeError(
    `${bridge} needs an id for the plugin.`,
    `Give it one: ${bridge}(…, { id: "weather" }).`,
  );
}

function checkEffects(effects: NonNullable<BridgeOptions["effects"]>, own: readonly string[]): void {
  const lists = isList(effects) ? [["*", effects] as const] : Object.entries(effects);
  for (const [name, list] of lists) {
    if (name !== "*") knownTool("effects", name, own);
    const wrong = Array.isArray(list) ? list.find((effect) => !EFFECTS.has(effect)) : list;
    if (wrong !== undefined || !Array.isArray(list))
      throw createBridgeError(
        `effects has ${JSON.stringify(wrong) ?? "nothing"} for ${name === "*" ? "all tools" : name}, which is no effect.`,
        `Effects are lists out of ${ALL_EFFECTS.join(", ")}; [] for a tool that only computes.`,
      );
  }
}

function knownTool(option: string, name: string, own: readonly string[]): void {
  if (own.includes(name)) return;
  const shown = own.slice(0, 20).join(", ");
  throw createBridgeError(
    `${option} names ${JSON.stringify(name)}, and there is no such tool.`,
    own.length === 0 ? "There are no tools at all." : `Use the tools' own names: ${shown}.`,
  );
}

export function createBridgeError(message: string, fix: string): HaftError {
  return adapterError("BRIDGE_INVALID", message, { fix });
}
