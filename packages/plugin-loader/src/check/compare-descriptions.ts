import type { CheckResult } from "@haft/plugin-sdk/testing";
import type { DescribedPlugin } from "../describe/describe-plugin.ts";
import { listDifferences } from "../manifest/compare-manifest.ts";
import { type Manifest, toManifest } from "../manifest/manifest.ts";

const FIX =
  "Define the plugin only from its code: without time, chance, environment, files or network. A host rejects another definition (PLUGIN_CHANGED).";

/**
 * Compares the descriptions of two loads of one module. Returns a problem for each difference in names, texts, schemas, effects or hosts.
 *
 * @example
 * ```ts
 * import { compareDescriptions } from "@haft/plugin-loader/internal/check";
 * import type { DescribedPlugin } from "@haft/plugin-loader/internal/plugins";
 * declare const loads: [DescribedPlugin, DescribedPlugin];
 * for (const { message } of compareDescriptions(...loads)) console.log(message);
 * ```
 */
export function compareDescriptions(first: DescribedPlugin, second: DescribedPlugin): CheckResult[] {
  const [one, other] = [toManifest(first), toManifest(second)];
  const differing = [
    ...listDifferences(one, other, ["tools"]).map((key) => [undefined, `its ${key}`] as const),
    ...compareTools(one, other),
  ];
  return differing.map(([where, what]): CheckResult => ({
    check: "definition",
    status: "problem",
    ...(where !== undefined && { where }),
    message: `Two loads of the same code differ: ${what}.`,
    fix: FIX,
  }));
}

function compareTools(
  { tools: one }: Manifest,
  { tools: other }: Manifest,
): (readonly [string | undefined, string])[] {
  const [names, others] = [one.map(({ name }) => name), other.map(({ name }) => name)];
  const gone = names.filter((name) => !others.includes(name));
  const added = others.filter((name) => !names.includes(name));
  if (gone.length > 0 || added.length > 0)
    return [[undefined, `the first has ${formatTools(gone)}, the second ${formatTools(added)}`]];
  if (names.join() !== others.join()) return [[undefined, "the order of its tools"]];
  return one.flatMap((tool, index) =>
    listDifferences(tool, other[index]!, []).map((key) => [tool.name, `its ${key}`] as const),
  );
}

function formatTools(names: readonly string[]): string {
  return names.length === 0 ? "no other tool" : `the tool ${names.join(", ")}`;
}
