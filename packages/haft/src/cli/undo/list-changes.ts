import { HaftError } from "@haft/core";
import type { Host } from "@haft/host";
import type { FileChange } from "@haft/tools-fs";
import type { ChangeReport } from "@haft/tools-fs/engine";
import { withoutUndefined, escapeInvisible } from "@haft/utils";
import { formatAgo } from "../approvals/times.ts";
import { formatFile } from "./change.ts";

interface ListedChange {
  transactionId: string;
  /** Milliseconds since the epoch. */
  at: number;
  undoable: boolean;
  reason?: string;
  files: readonly ListedFile[];
}

type ListedFile = Pick<FileChange, "path"> & Partial<Pick<FileChange, "kind" | "from" | "added" | "removed">>;

const MAX_FILES = 10;

/** Dry runs show the current effect of an undo. */
export async function listChanges(host: Host, asJson: boolean): Promise<number> {
  const root = host.workspace.describe().cwd;
  const changes: ListedChange[] = [];
  for (const { id, at, paths } of await host.changes.list()) {
    const report = await host.changes.undo(id, { dryRun: true }).catch(refusal);
    const isRefused = "reason" in report;
    changes.push(
      withoutUndefined<ListedChange>({
        transactionId: id,
        at,
        undoable: !isRefused,
        reason: isRefused ? report.reason : undefined,
        files: isRefused ? paths.map((path) => ({ path: below(root, path) })) : report.files.map(takenBack),
      }),
    );
  }
  if (asJson) console.log(JSON.stringify({ changes }));
  else if (changes.length === 0) console.log(`There are no stored changes of ${root} to revert.`);
  else console.log(changes.map((change) => format(change, Date.now())).join("\n\n"));
  return 0;
}

/** An unreadable journal is an error. */
function refusal(thrown: unknown): { reason: string } {
  if (HaftError.is(thrown) && thrown.code !== "JOURNAL_FAILED") return { reason: thrown.message };
  throw thrown;
}

function takenBack({ kind, path, from, added, removed }: ChangeReport["files"][number]): ListedFile {
  const was = { added: "deleted", deleted: "added" } as const;
  const before = kind === "added" || kind === "deleted" ? was[kind] : kind;
  const names = from === undefined ? { path } : { path: from, from: path };
  return { kind: before, ...names, added: removed, removed: added };
}

function below(root: string, path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

function format({ transactionId, at, undoable, reason, files }: ListedChange, now: number): string {
  const time = `${new Date(at).toISOString().slice(0, 19)}Z`;
  const lines = files.slice(0, MAX_FILES).map((file) => `  ${describe(file)}`);
  if (files.length > MAX_FILES) lines.push(`  … ${files.length - MAX_FILES} more`);
  const note = undoable ? [] : [`  cannot be reverted now: ${escapeInvisible(reason ?? "")}`];
  return [`${transactionId}  ${formatAgo(at, now)} (${time})`, ...lines, ...note].join("\n");
}

function describe({ kind, path, from, added = 0, removed = 0 }: ListedFile): string {
  if (kind === undefined) return `? ${escapeInvisible(path)}`;
  return formatFile(withoutUndefined({ kind, path, from, added, removed }));
}
