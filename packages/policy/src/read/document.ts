import { formatPath, type KeyPath, type Positions } from "./problems.ts";

/** Whose document it is. The administrator's comes first, always holds, and cannot be loosened. */
export type DocumentOwner = "policy" | "administrator";

/** Where rules come from, as messages name it. */
export interface Document {
  readonly owner: DocumentOwner;
  readonly name: string;
  readonly positions?: Positions | undefined;
}

/** `policy.yaml:12: sessions.group.deny[0]`; without the line when it is not known. */
export function placeOf({ name, positions }: Document, path: KeyPath): string {
  const line = positions?.(path);
  return `${name}${line === undefined ? "" : `:${line}`}: ${formatPath(path)}`;
}
