import { canonicalJson } from "./canonical-json.ts";
import type { NodeDeclaration } from "./declaration.ts";
import { toOfferName } from "./workspace.ts";

/** Describes a difference between two declarations of a node. */
export interface DeclarationChange {
  /** Names the command, or `workspace.NAME`. */
  readonly command: string;
  /** Names the kind of change. */
  readonly change: "added" | "removed" | "changed";
  /**
   * Names the changed parts, such as `effects` or `timeoutMs`; of a workspace `description`, `access`,
   * `network`, `isolation`.
   */
  readonly parts: readonly string[];
}

/** Returns differences that affect an approval of the first declaration. */
export function declarationChanges(before: NodeDeclaration, after: NodeDeclaration): DeclarationChange[] {
  const old = partsOf(before);
  const changes: DeclarationChange[] = [];
  for (const [command, offered] of partsOf(after)) {
    const former = old.get(command);
    old.delete(command);
    const parts = former === undefined ? [] : differentParts(former, offered);
    if (former === undefined) changes.push({ command, change: "added", parts });
    else if (parts.length > 0) changes.push({ command, change: "changed", parts });
  }
  for (const command of old.keys()) changes.push({ command, change: "removed", parts: [] });
  return changes;
}

export function describeDeclarationChanges(changes: readonly DeclarationChange[]): string {
  const shown = changes.slice(0, 8).map(({ command, change, parts }) => {
    return parts.length === 0
      ? `${command} was ${change}`
      : `${command} has a different ${parts.join(" and ")}`;
  });
  const rest = changes.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

type Parts = Readonly<Record<string, unknown>>;

function partsOf({ commands, workspaces }: NodeDeclaration): Map<string, Parts> {
  return new Map<string, Parts>([
    ...commands.map((each) => [each.name, { ...each }] as const),
    ...workspaces.map((each) => [toOfferName(each), { ...each }] as const),
  ]);
}

function differentParts(one: Parts, other: Parts): string[] {
  return Object.keys(other).filter((part) => canonicalJson(one[part]) !== canonicalJson(other[part]));
}
