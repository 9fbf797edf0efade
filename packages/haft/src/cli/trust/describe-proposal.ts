import {
  isEntry,
  getEntryName,
  getPluginReference,
  type ReadConfig,
  type TrustProposal,
} from "@haft/config/internal/document";
import type { TrustedPackage } from "@haft/config/internal/trust";
import { formatPath, splitTightening, formatTable } from "@haft/policy";
import { withoutUndefined, escapeInvisible } from "@haft/utils";
import { statSync } from "node:fs";
import { listLeaves } from "../config/list-leaves.ts";

const MAX_SHOWN = 20;

export interface RequestedSetting {
  key: string;
  value: unknown;
}

export function listRequestedSettings({ config }: ReadConfig): RequestedSetting[] {
  const { policy = {}, plugins = [], ...settings } = config;
  const beyond = splitTightening(policy).beyond.flatMap(({ path }) =>
    listLeaves(valueAt(policy, path), ["policy", ...path]),
  );
  const values = Object.entries(settings).flatMap(([key, value]) =>
    key === "$schema" ? [] : listLeaves(value, [key]),
  );
  const code = plugins.map((plugin, index) => [["plugins", index], shownEntry(plugin)] as const);
  return [...values, ...code, ...beyond].map(([path, value]) => ({ key: formatPath(path), value }));
}

function shownEntry(entry: Parameters<typeof getEntryName>[0]): unknown {
  const use = getEntryName(entry);
  const { config, replaces } = getPluginReference(entry) ?? (isEntry(entry) ? entry : {});
  return config === undefined && replaces === undefined ? use : withoutUndefined({ use, config, replaces });
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let at = value;
  for (const key of path) at = (at as Record<string | number, unknown>)[key];
  return at;
}

export function describeProposal({ path, covered, config: proposed }: TrustProposal): string {
  const asks = proposed && listRequestedSettings(proposed);
  const runs = asks === undefined || asks.some(({ key }) => key.startsWith("plugins"));
  const files = [...covered.files.keys()].map((each) => [
    "",
    escapeInvisible(each),
    `${statSync(each).size} bytes`,
  ]);
  const shown = covered.packages.slice(0, MAX_SHOWN);
  const more = covered.packages.length - shown.length;
  return [
    escapeInvisible(path),
    ...(asks === undefined
      ? ["  is code: it runs in the process of Haft, with all your rights, whenever a host starts here."]
      : asks.length === 0
        ? ["  requests nothing beyond tightening."]
        : ["  requests, beyond tightening:", ...formatSettingsTable(asks)]),
    "",
    "  Covered: trust ends if any of these change.",
    ...formatTable(files).map((line) => `  ${line}`),
    ...formatTable(shown.map((each) => ["", ...rowOf(each)])).map((line) => `  ${line}`),
    ...(more > 0 ? [`    and ${more} more packages`] : []),
    ...(runs
      ? ["  Not covered: files that this code reads itself, and code that other processes and workers load."]
      : []),
  ].join("\n");
}

export function formatSettingsTable(asks: readonly RequestedSetting[]): string[] {
  const rows = asks.map(({ key, value }) => [
    "",
    escapeInvisible(key),
    escapeInvisible(JSON.stringify(value)),
  ]);
  return formatTable(rows).map((line) => `  ${line}`);
}

function rowOf({ folder, name, version, lock }: TrustedPackage): string[] {
  const how = lock === undefined ? "its files, because no lockfile lists it" : `its files, and ${lock.file}`;
  return [escapeInvisible(`${name} ${version}`), escapeInvisible(folder), how];
}
