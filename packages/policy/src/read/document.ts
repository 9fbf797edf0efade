import { formatPath, type KeyPath, type SourceMap } from "./problems.ts";

/**
 * Names the owner. The administrator's document goes first, always applies and cannot be loosened. Workspace documents, counted from 0,
 * also grant.
 */
export type DocumentOwner = "policy" | "administrator" | `workspace ${number}` | `trusted ${number}`;

export interface Document {
  readonly owner: DocumentOwner;
  readonly name: string;
  readonly positions?: SourceMap | undefined;
}

/** Formats `policy.yaml:12: sessions.group.deny[0]`, without an unknown line. */
export function formatSource(document: Document, path: KeyPath): string {
  const line = document.positions?.(path);
  return `${findSourceFile(document, path)}${line === undefined ? "" : `:${line}`}: ${formatPath(path)}`;
}

export function findSourceFile({ name, positions }: Document, path: KeyPath): string {
  return positions?.fileOf?.(path) ?? name;
}

/** Whether an untrusted workspace provides the document. */
export function isWorkspaceDocument({ owner }: Pick<Document, "owner">): boolean {
  return owner.startsWith("workspace ");
}

/** Hosts with other tools read the document, so its denials may name missing tools. */
export function isSharedDocument({ owner }: Pick<Document, "owner">): boolean {
  return owner !== "policy";
}
