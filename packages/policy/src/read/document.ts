import { formatPath, type KeyPath, type SourceMap } from "./problems.ts";

/**
 * Whose document it is. The administrator's comes first, always holds, and cannot be loosened. Those of workspaces, counted
 * from 0, only tighten, and always hold, too; those their owner trusted may grant.
 */
export type DocumentOwner = "policy" | "administrator" | `workspace ${number}` | `trusted ${number}`;

export interface Document {
  readonly owner: DocumentOwner;
  readonly name: string;
  readonly positions?: SourceMap | undefined;
}

/** `policy.yaml:12: sessions.group.deny[0]`; without the line when it is not known. */
export function formatSource(document: Document, path: KeyPath): string {
  const line = document.positions?.(path);
  return `${findSourceFile(document, path)}${line === undefined ? "" : `:${line}`}: ${formatPath(path)}`;
}

export function findSourceFile({ name, positions }: Document, path: KeyPath): string {
  return positions?.fileOf?.(path) ?? name;
}

/** Does it come from a workspace, whoever wrote it there, and nobody trusted it? */
export function isWorkspaceDocument({ owner }: Pick<Document, "owner">): boolean {
  return owner.startsWith("workspace ");
}

/** Is it read by hosts with other tools, too? What it denies need not be there. */
export function isSharedDocument({ owner }: Pick<Document, "owner">): boolean {
  return owner !== "policy";
}
