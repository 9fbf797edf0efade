import { withoutUndefined } from "@haft/core";
import { escapeInvisible } from "@haft/core/internal";
import { formatPath, splitTightening, textTable } from "@haft/policy";
import { statSync } from "node:fs";
import { isEntry, nameOfEntry, placeOf } from "../../config/placed-plugins.ts";
import type { ReadConfig } from "../../config/read-config.ts";
import type { TrustProposal } from "../../config/workspace/propose-trust.ts";
import type { TrustedPackage } from "../../trust/trust-record.ts";
import { leavesOf } from "../config/leaves.ts";

const MOST_SHOWN = 20;

export interface Asked {
  key: string;
  value: unknown;
}

export function asksOf({ config }: ReadConfig): Asked[] {
  const { policy = {}, plugins = [], ...settings } = config;
  const beyond = splitTightening(policy).beyond.flatMap(({ path }) =>
    leavesOf(valueAt(policy, path), ["policy", ...path]),
  );
  const values = Object.entries(settings).flatMap(([key, value]) =>
    key === "$schema" ? [] : leavesOf(value, [key]),
  );
  const code = plugins.map((plugin, index) => [["plugins", index], shownEntry(plugin)] as const);
  return [...values, ...code, ...beyond].map(([path, value]) => ({ key: formatPath(path), value }));
}

function shownEntry(entry: Parameters<typeof nameOfEntry>[0]): unknown {
  const use = nameOfEntry(entry);
  const { config, replaces } = placeOf(entry) ?? (isEntry(entry) ? entry : {});
  return config === undefined && replaces === undefined ? use : withoutUndefined({ use, config, replaces });
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let at = value;
  for (const key of path) at = (at as Record<string | number, unknown>)[key];
  return at;
}

export function describeProposal({ path, covered, said }: TrustProposal): string {
  const asks = said && asksOf(said);
  const runs = asks === undefined || asks.some(({ key }) => key.startsWith("plugins"));
  const files = [...covered.files.keys()].map((each) => [
    "",
    escapeInvisible(each),
    `${statSync(each).size} bytes`,
  ]);
  const shown = covered.packages.slice(0, MOST_SHOWN);
  const more = covered.packages.length - shown.length;
  return [
    escapeInvisible(path),
    ...(asks === undefined
      ? ["  is code: it runs in the process of Haft, with all your rights, whenever a host starts here."]
      : asks.length === 0
        ? ["  asks for nothing beyond tightening."]
        : ["  asks for this, beyond tightening:", ...table(asks)]),
    "",
    "  Covered: trust ends when one of these changes.",
    ...textTable(files).map((line) => `  ${line}`),
    ...textTable(shown.map((each) => ["", ...rowOf(each)])).map((line) => `  ${line}`),
    ...(more > 0 ? [`    and ${more} more packages`] : []),
    ...(runs
      ? ["  Not covered: what this code reads by itself, and what other processes and workers load."]
      : []),
  ].join("\n");
}

export function table(asks: readonly Asked[]): string[] {
  const rows = asks.map(({ key, value }) => [
    "",
    escapeInvisible(key),
    escapeInvisible(JSON.stringify(value)),
  ]);
  return textTable(rows).map((line) => `  ${line}`);
}

function rowOf({ folder, name, version, lock }: TrustedPackage): string[] {
  const how = lock === undefined ? "its files, as no lockfile speaks of it" : `its files, and ${lock.file}`;
  return [escapeInvisible(`${name} ${version}`), escapeInvisible(folder), how];
}
