import { type AuditEntry, readAuditLog } from "@haft/config";
import { isGuardedCall } from "@haft/config/internal/audit";
import { defaultStateFolder } from "@haft/config/internal/boundary";
import { escapeInvisible } from "@haft/utils";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { commandError } from "../../errors.ts";

export async function showLog({
  follow = false,
  json,
  file: named,
}: {
  follow?: boolean;
  json?: boolean;
  file?: string;
}): Promise<number> {
  const file = named === undefined ? await logFile() : requireLog(named);
  if (!existsSync(file) && !follow) {
    console.error(`haft: ${describeMissingLog(file)}`);
    return 0;
  }
  const over = new AbortController();
  const end = () => over.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  let isWhole = true;
  for await (const item of readAuditLog(file, { follow, signal: over.signal })) {
    if ("problem" in item) {
      isWhole = false;
      console.error(`haft: ${item.problem}`);
    } else if (isGuardedCall(item.entry))
      console.log(json ? JSON.stringify(item.entry) : describe(item.entry, item.entry.guard));
  }
  return isWhole ? 0 : 1;
}

export function requireLog(named: string): string {
  const file = resolve(named);
  if (existsSync(file)) return file;
  const fix = "Name an existing log; without --file it is the log of the hooks.";
  throw commandError("FILE_NOT_FOUND", `There is no log ${file}.`, { fix });
}

export function describeMissingLog(file: string): string {
  return `there are no entries in ${file} yet. The setting audit: { file: … } records every decision, and haft guard install --watch-only records what the rules would have decided.`;
}

export async function logFile(): Promise<string> {
  const { readRecordSettings } = await import("@haft/config/internal/document");
  const { audit } = await readRecordSettings(undefined);
  return audit?.file ?? join(defaultStateFolder(), "guard", "watched.jsonl");
}

function describe(entry: AuditEntry, guard: NonNullable<AuditEntry["guard"]>): string {
  const { at, toolName, args, decision, approvalId } = entry;
  const effect = decision?.effect ?? "allow";
  const would = guard.watched && effect !== "allow" ? ` (would be: ${effect})` : "";
  const lines = [
    `${new Date(at).toISOString()} ${guard.agent} ${guard.answer}${would} ${toolName} ${shortened(args)} in ${guard.folder}`,
    ...(effect === "allow" || decision === undefined ? [] : [`  ${decision.reason}`]),
    ...(guard.answered === undefined ? [] : [`  a person had answered: ${guard.answered}`]),
    ...(approvalId === undefined || guard.answered !== undefined
      ? []
      : [`  haft approvals answer ${approvalId}`]),
  ];
  return lines.map((line) => escapeInvisible(line)).join("\n");
}

function shortened(args: unknown): string {
  const text = JSON.stringify(args) ?? "";
  return text.length > 160 ? `${text.slice(0, 159).toWellFormed()}…` : text;
}
