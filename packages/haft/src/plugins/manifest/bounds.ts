import { type AnyTool, type PluginToolRegistration, withoutUndefined } from "@haft/core";
import { hostError } from "../../errors.ts";
import type { DescribedRegistration } from "../describe-plugin.ts";
import { effectsBeyond } from "./compare-manifest.ts";
import type { Manifest } from "./manifest.ts";

/** What all tools of a registration do, as its author declares it in the code, or else in the manifest. */
export function boundsOf(
  { names, effects, hosts }: DescribedRegistration,
  manifest: Manifest | undefined,
): Pick<PluginToolRegistration, "effects" | "hosts"> {
  const told = names.map((name) => manifest?.tools.find((tool) => tool.name === name));
  const all = <T>(lists: readonly (readonly T[] | undefined)[]) =>
    lists.every((list) => list !== undefined) ? [...new Set(lists.flat())] : undefined;
  return withoutUndefined<Pick<PluginToolRegistration, "effects" | "hosts">>({
    effects: effects ?? all(told.map((tool) => tool?.effects)),
    hosts: hosts ?? all(told.map((tool) => tool?.hosts)),
  });
}

type Made = AnyTool | readonly AnyTool[] | null;

/**
 * What a factory made, where it does no more than the manifest says.
 *
 * @throws HaftError `MANIFEST_WRONG`
 */
export function heldTo<T extends Made>({ id, tools }: Manifest, made: T): T {
  for (const tool of [made].flat() as readonly (Partial<AnyTool> | null)[]) {
    const told = tools.find(({ name }) => name === tool?.name);
    // What is no tool, or undeclared, is told of by the registry.
    const more = told && Array.isArray(tool?.effects) ? effectsBeyond(told, tool.effects) : [];
    if (more.length === 0) continue;
    throw hostError(
      "MANIFEST_WRONG",
      `Plugin "${id}" made ${told?.name} with the effect ${more.join(", ")}, which its haft.plugin.json does not say.`,
    );
  }
  return made;
}
