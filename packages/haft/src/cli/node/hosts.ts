import { escapeInvisible } from "@haft/core/internal";
import type { KnownHost } from "@haft/nodes";
import { textTable } from "@haft/policy";
import { nodeFolders } from "../../nodes/node-folders.ts";
import { ago } from "../approvals/times.ts";
import { findNamed } from "../nodes/find-named.ts";
import { readStateValue } from "../place/state-value.ts";
import { UsageError } from "../usage.ts";
import type { NodeValues } from "./open-node.ts";

async function open({ state }: NodeValues) {
  const { knownHostsIn } = await import("@haft/nodes");
  const records = knownHostsIn(nodeFolders(readStateValue(state)).hosts);
  const all = records.ids().map((id): { id: string } & KnownHost => ({ id, ...records.read(id)! }));
  return { records, all: all.toSorted((one, other) => one.pairedAt - other.pairedAt) };
}

export async function listHosts(values: NodeValues, words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new UsageError("haft node hosts takes no names.");
  const { all } = await open(values);
  if (values.json) console.log(JSON.stringify({ hosts: all }));
  else if (all.length === 0) console.log("This node knows no host: haft node pair takes one.");
  else {
    const now = Date.now();
    const rows = all.map(({ id, name, pairedAt }) => [escapeInvisible(name), id, ago(pairedAt, now)]);
    console.log(textTable([["host", "id", "paired"], ...rows]).join("\n"));
  }
  return 0;
}

export async function forgetHost(values: NodeValues, words: readonly string[]): Promise<number> {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0)
    throw new UsageError("Which host? haft node forget HOST; haft node hosts lists them.");
  const { records, all } = await open(values);
  const { id, name } = findNamed(word, all, "host");
  records.remove(id);
  if (values.json) console.log(JSON.stringify({ forgotten: { id, name } }));
  else
    console.log(
      `${escapeInvisible(name)} is not known any more: nothing of it is taken, and what it runs here is ended.`,
    );
  return 0;
}
