import type { ToolEffect } from "@haft/core";
import type { BridgeOptions } from "./bridge-options.ts";
import type { Hints } from "./foreign-tool.ts";

export const ALL_EFFECTS: readonly ToolEffect[] = ["read", "write", "execute", "network", "message"];

export interface ResolvedEffects {
  effects: readonly ToolEffect[];
  /** `operator`: the options. `hint`: the tool, unverified. `nobody`: every effect is possible. */
  source: "operator" | "hint" | "nobody";
}

/** Returns the operator's effects, else the tool's hint, else all effects. */
export function resolveEffects(
  name: string,
  { effects, hints: believeHints = true }: Pick<BridgeOptions, "effects" | "hints">,
  hints: Hints | undefined,
): ResolvedEffects {
  const said = isList(effects) ? effects : (ownOf(effects, name) ?? ownOf(effects, "*"));
  if (said !== undefined) return { effects: said, source: "operator" };
  // Only `readOnlyHint` excludes effects; excluding `network` also needs `openWorldHint: false`.
  if (believeHints && hints?.readOnlyHint === true) {
    return { effects: hints.openWorldHint === false ? ["read"] : ["read", "network"], source: "hint" };
  }
  return { effects: ALL_EFFECTS, source: "nobody" };
}

function ownOf(
  effects: Readonly<Record<string, readonly ToolEffect[]>> | undefined,
  name: string,
): readonly ToolEffect[] | undefined {
  return effects !== undefined && Object.hasOwn(effects, name) ? effects[name] : undefined;
}

export function isList(effects: BridgeOptions["effects"]): effects is readonly ToolEffect[] {
  return Array.isArray(effects);
}
