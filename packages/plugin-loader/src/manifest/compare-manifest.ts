import { findUndeclaredHosts } from "@haft/core/internal";
import { isDeepStrictEqual } from "node:util";
import type { Manifest, ManifestTool } from "./manifest.ts";

export interface ManifestDifferences {
  untrue: readonly string[];
  /** Sentences about outdated parts, without a period: `the description of forecast differs from the code`. */
  outdated: readonly string[];
}

/**
 * Compares the manifest of a package with the manifest of its code.
 *
 * @param is The manifest from {@link toManifest}.
 * @returns `untrue`: sentences about code beyond the manifest. `outdated`: sentences about parts that differ without harm.
 * @example
 * ```ts
 * import { compareManifest } from "@haft/plugin-loader/internal/plugins";
 * import { type Manifest } from "@haft/plugin-loader";
 * declare const said: Manifest;
 * declare const is: Manifest;
 * const { untrue, outdated } = compareManifest(said, is);
 * ```
 */
export function compareManifest(said: Manifest, is: Manifest): ManifestDifferences {
  const untrue: string[] = [];
  if (said.id !== is.id) untrue.push(`it names the id "${said.id}", but the code has "${is.id}"`);
  // It names the SDK of the package.json; a manifest made in a workspace has none.
  const unsaid = said.sdk === undefined ? ["sdk"] : [];
  const outdated = listDifferences(said, is, ["id", "tools", "$schema", "manifest", ...unsaid]).map(
    (key) => `its ${key} differs from the code`,
  );
  const unnamed: string[] = [];
  for (const tool of is.tools) {
    const told = said.tools.find(({ name }) => name === tool.name);
    if (told === undefined) {
      unnamed.push(JSON.stringify(tool.name));
      continue;
    }
    untrue.push(...findExcess(told, tool));
    // A manifest limits a factory, which may declare less.
    const left = tool.factory === true ? ["effects", "hosts"] : [];
    outdated.push(
      ...listDifferences(told, tool, left).map((key) => `the ${key} of ${tool.name} differs from the code`),
    );
  }
  const removed = said.tools.filter(({ name }) => !is.tools.some((tool) => tool.name === name));
  if (unnamed.length > 0) untrue.push(`it does not name ${countTools(unnamed)}`);
  if (removed.length > 0)
    outdated.push(
      `it names ${countTools(removed.map(({ name }) => JSON.stringify(name)))}, which the code does not have`,
    );
  return { untrue, outdated };
}

function countTools(names: readonly string[]): string {
  return `the ${names.length === 1 ? "tool" : "tools"} ${names.join(", ")}`;
}

function findExcess(told: ManifestTool, tool: ManifestTool): string[] {
  const { name } = tool;
  const more: string[] = [];
  const effects = findUndeclaredEffects(told, tool.effects ?? []);
  if (effects.length > 0) more.push(`it does not declare that ${name} has the effect ${effects.join(", ")}`);
  const others = findUndeclaredHosts(tool.hosts, told.hosts);
  if (others.length > 0) more.push(`it does not declare that ${name} contacts ${others.join(", ")}`);
  else if (told.hosts !== undefined && tool.hosts === undefined && tool.factory !== true)
    more.push(`it declares that ${name} contacts ${told.hosts.join(", ")}, but its code names no hosts`);
  if (told.optional === true && tool.optional !== true)
    more.push(`it declares ${name} as optional, but the code does not`);
  if (told.channels !== undefined && tool.channels === undefined)
    more.push(`it declares ${name} for channels, but the code offers it to all sessions`);
  return more;
}

/** Returns the undeclared effects. Without any declaration, the result is empty. */
export function findUndeclaredEffects(
  told: Pick<ManifestTool, "effects">,
  effects: readonly string[],
): string[] {
  const known: readonly string[] | undefined = told.effects;
  return known === undefined ? [] : effects.filter((effect) => !known.includes(effect));
}

/** Returns the names of the members that differ. */
export function listDifferences(one: object, other: object, leaving: readonly string[]): string[] {
  const [a, b] = [one, other] as Record<string, unknown>[];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].filter((key) => !leaving.includes(key) && !isDeepStrictEqual(a![key], b![key]));
}
