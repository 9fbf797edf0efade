import type { ToolEffect } from "@haft/core";
import type { BridgeOptions } from "./bridge-options.ts";
import type { Hints } from "./foreign-tool.ts";

export const ALL_EFFECTS: readonly ToolEffect[] = ["read", "write", "execute", "network", "message"];

export interface ResolvedEffects {
  effects: readonly ToolEffect[];
  /** `operator`: the options. `hint`: the tool itself, which nobody has checked. `nobody`: so it is everything. */
  source: "operator" | "hint" | "nobody";
}

/** What is known of a tool's effects. The operator's word counts first; without any, everything is possible. */
export function resolveEffects(
  name: string,
  { effects, hints: believeHints = true }: Pick<BridgeOptions, "effects" | "hints">,
  hints: Hints | undefined,
): ResolvedEffects {
  const said = isList(effects) ? effects : (ownOf(effects, name) ?? ownOf(effects, "*"));
  if (said !== undefined) return { effects: said, source: "operator" };
  // Only a hint that it reads says less than everything; that one stays in a closed world has to be said besides.
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
