import { nodeFolders } from "@haft/config/internal/settings";
import type { KnownHost } from "@haft/nodes";
import { formatTable } from "@haft/policy";
import { escapeInvisible } from "@haft/utils";
import { formatAgo } from "../approvals/times.ts";
import { readStateValue } from "../location/state-value.ts";
import { print } from "../write-out.ts";
import { findNamed } from "./find-named.ts";

type Values = { state?: string; json?: boolean };

export async function knownHosts(folder: string) {
  const { openKnownHosts } = await import("@haft/nodes");
  const records = openKnownHosts(folder);
  const all = records.ids().map((id): { id: string } & KnownHost => ({ id, ...records.read(id)! }));
  return { records, all: all.toSorted((one, other) => one.pairedAt - other.pairedAt) };
}

export async function listHosts({ state, json }: Values): Promise<number> {
  const { all } = await knownHosts(nodeFolders(readStateValue(state)).hosts);
  const rows = all.map(({ id, name, pairedAt }) => [
    escapeInvisible(name),
    id,
    formatAgo(pairedAt, Date.now()),
  ]);
  print(json, { hosts: all }, () =>
    all.length === 0
      ? "This node knows no hosts: run haft nodes accept."
      : formatTable([["host", "id", "paired"], ...rows]).join("\n"),
  );
  return 0;
}

export async function forgetHost({ state, json }: Values, [word = ""]: readonly string[]): Promise<number> {
  const { records, all } = await knownHosts(nodeFolders(readStateValue(state)).hosts);
  const { id, name } = findNamed(word, all, "host");
  records.remove(id);
  print(
    json,
    { forgotten: { id, name } },
    () => `${escapeInvisible(name)} is removed: its calls are refused, and its running calls end.`,
  );
  return 0;
}
