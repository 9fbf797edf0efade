import { joinWords } from "../text/sentence.ts";
import type { DocumentOwner } from "./document.ts";
import type { PolicyConfig } from "./policy-config.ts";
import { formatPath, type KeyPath } from "./problems.ts";

export type Change = { readonly owner: DocumentOwner } & (
  | { readonly op: "add"; readonly list: KeyPath; readonly entry: string }
  | { readonly op: "remove"; readonly list: KeyPath; readonly index: number; readonly entry: string }
  | { readonly op: "set"; readonly key: KeyPath; readonly value: string }
);

/** Returns the configuration of one owner with all changes applied. Indexes refer to the original lists. */
export function applyChanges(
  config: PolicyConfig,
  changes: readonly Change[],
  owner: DocumentOwner = "policy",
): PolicyConfig {
  let changed: unknown = config;
  // Later entries first, so that removals do not move the others.
  const ordered = changes.filter((each) => each.owner === owner).toSorted((a, b) => indexOf(b) - indexOf(a));
  for (const change of ordered) {
    changed = update(changed, getChangePath(change), (value) => {
      const list = (value ?? []) as readonly string[];
      if (change.op === "set") return change.value;
      return change.op === "add" ? [...list, change.entry] : list.toSpliced(change.index, 1);
    });
  }
  return changed as PolicyConfig;
}

/** Formats `add "write" to sessions.group.grant`. Merges equal additions. */
export function describeChanges(changes: readonly Change[]): string[] {
  const additions = Map.groupBy(
    changes.filter((change) => change.op === "add"),
    ({ entry }) => entry,
  );
  const parts: string[] = [];
  for (const [entry, occurrences] of additions) {
    parts.push(
      `add ${JSON.stringify(entry)} to ${joinWords(occurrences.map(({ list }) => formatPath(list)))}`,
    );
  }
  for (const change of changes) {
    if (change.op === "remove") {
      parts.push(`remove ${JSON.stringify(change.entry)} from ${formatPath([...change.list, change.index])}`);
    } else if (change.op === "set") {
      parts.push(`set ${formatPath(change.key)} to "${change.value}"`);
    }
  }
  return parts;
}

export function getChangePath(change: Change): KeyPath {
  return change.op === "set" ? change.key : change.list;
}

function update(value: unknown, [key, ...rest]: KeyPath, change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  const inner = Object.hasOwn(fields, key) ? fields[key] : undefined;
  // A computed key defines a property, so "__proto__" is an ordinary key.
  return { ...fields, [key]: update(inner, rest, change) };
}

function indexOf(change: Change): number {
  return change.op === "remove" ? change.index : -1;
}
