import { canonicalJson } from "./canonical-json.ts";
import type { DeclaredCommand, NodeDeclaration } from "./declaration.ts";

/** What is another at one command of a node. */
export interface DeclarationChange {
  /** Its name. */
  readonly command: string;
  /** What became of it. */
  readonly change: "added" | "removed" | "changed";
  /** Which of its parts, where it changed: `description`, `parameters`, `effects`, `timeoutMs`, `resultBytes`. */
  readonly parts: readonly string[];
}

/** What somebody who approved the one has to look at in the other. Empty for the same. */
export function declarationChanges(before: NodeDeclaration, after: NodeDeclaration): DeclarationChange[] {
  const old = new Map(before.commands.map((command) => [command.name, command]));
  const changes: DeclarationChange[] = [];
  for (const command of after.commands) {
    const former = old.get(command.name);
    old.delete(command.name);
    const parts = former === undefined ? [] : differentParts(former, command);
    if (former === undefined) changes.push({ command: command.name, change: "added", parts });
    else if (parts.length > 0) changes.push({ command: command.name, change: "changed", parts });
  }
  for (const command of old.keys()) changes.push({ command, change: "removed", parts: [] });
  return changes;
}

/** In one sentence, for messages. */
export function describeChanges(changes: readonly DeclarationChange[]): string {
  const shown = changes.slice(0, 8).map(({ command, change, parts }) => {
    return parts.length === 0 ? `${command} was ${change}` : `${command} has other ${parts.join(" and ")}`;
  });
  const rest = changes.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

function differentParts(one: DeclaredCommand, other: DeclaredCommand): string[] {
  const parts = ["description", "parameters", "effects", "timeoutMs", "resultBytes"] as const;
  return parts.filter((part) => canonicalJson(one[part]) !== canonicalJson(other[part]));
}
