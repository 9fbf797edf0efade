import type { Installed } from "./installed-size.ts";

interface Budget {
  /** Disk usage in units of 2^20 bytes, as for `du -m`. */
  megabytes: number;
  /** Includes itself. */
  packages: number;
}

/** Installed size of each package with dependencies, without optional packages. */
export const BUDGETS: Readonly<Record<string, Budget>> = {
  "@haft/utils": { megabytes: 1, packages: 1 },
  "@haft/core": { megabytes: 3, packages: 2 },
  "@haft/adapters": { megabytes: 3, packages: 3 },
  "@haft/chat": { megabytes: 35, packages: 17 },
  "@haft/commands": { megabytes: 3, packages: 4 },
  "@haft/otel": { megabytes: 6, packages: 3 },
  "@haft/plugin-sdk": { megabytes: 3, packages: 3 },
  "@haft/policy": { megabytes: 3, packages: 3 },
  "@haft/system": { megabytes: 3, packages: 3 },
  "@haft/workspace": { megabytes: 4, packages: 4 },
  "@haft/store": { megabytes: 5, packages: 4 },
  "@haft/mcp": { megabytes: 5, packages: 4 },
  "@haft/nodes": { megabytes: 7, packages: 5 },
  "@haft/sandbox": { megabytes: 6, packages: 5 },
  "@haft/tools-exec": { megabytes: 7, packages: 8 },
  "@haft/tools-fs": { megabytes: 7, packages: 6 },
  "@haft/config": { megabytes: 9, packages: 10 },
  "@haft/plugin-loader": { megabytes: 11, packages: 13 },
  "@haft/host": { megabytes: 16, packages: 20 },
  "@haft/history": { megabytes: 16, packages: 21 },
  "@haft/guard": { megabytes: 17, packages: 23 },
  "@haft/inspector": { megabytes: 23, packages: 27 },
  "create-haft-plugin": { megabytes: 1, packages: 1 },
  "haft-plugin-web": { megabytes: 5, packages: 10 },
  haft: { megabytes: 23, packages: 25 },
};

const MEGABYTE = 2 ** 20;
/** Largest parts in a problem. */
const SHOWN = 5;

/** Formats the size of a package: `1.5 MB, 1 package`. */
export function sizeText(parts: readonly Installed[]): string {
  return `${inMegabytes(sum(parts))}, ${count(parts.length)}`;
}

/** Returns problems with the largest parts. */
export function findBudgetProblems(
  name: string,
  parts: readonly Installed[],
  budget: Budget | undefined,
): string[] {
  if (budget === undefined) return [`${name} has no budget: give it one in scripts/lib/size-budget.ts`];
  const { megabytes, packages } = budget;
  const largest = parts
    .slice(0, SHOWN)
    .map((part) => `${part.name} ${inMegabytes(part.bytes)}`)
    .join(", ");
  return [
    ...(sum(parts) > megabytes * MEGABYTE
      ? [
          `${name} is ${inMegabytes(sum(parts))} on disk, ${megabytes} MB at most. The largest parts: ${largest}`,
        ]
      : []),
    ...(parts.length > packages
      ? [
          `${name} brings ${count(parts.length)}, ${packages} at most: ${parts.map((part) => part.name).join(", ")}`,
        ]
      : []),
  ];
}

function sum(parts: readonly Installed[]): number {
  return parts.reduce((bytes, part) => bytes + part.bytes, 0);
}

function inMegabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}

function count(packages: number): string {
  return packages === 1 ? "1 package" : `${packages} packages`;
}
