import { escapeInvisible } from "@haft/core/internal";
import type { FileChange } from "@haft/tools-fs";

const MARKS: Record<FileChange["kind"], string> = {
  added: "A",
  modified: "M",
  deleted: "D",
  moved: "R",
  unchanged: "=",
};

/** A file of a change in one line: `M src/a.ts  +3 -1`. */
export function formatFile({
  kind,
  path,
  from,
  added,
  removed,
}: Pick<FileChange, "kind" | "path" | "from" | "added" | "removed">): string {
  const names = [from, path].filter((name) => name !== undefined).map(escapeInvisible);
  return `${MARKS[kind]} ${names.join(" -> ")}  +${added} -${removed}`;
}
