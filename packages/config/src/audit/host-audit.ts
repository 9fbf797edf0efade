import { invalidOptions } from "@haft/core";
import type { LedgerStore } from "@haft/core/kernel";
import { DEFAULT_AUDIT_BYTES, DEFAULT_AUDIT_FILES } from "../defaults.ts";
import type { AuditSettings } from "../document/records/audit-settings.ts";
import { parseBytes } from "../document/records/record-settings.ts";
import { getRotatedFile } from "./rotate-files.ts";

export interface HostAudit {
  readonly ledger: LedgerStore | undefined;
  /** Runs before a session is opened. @throws HaftError `LEDGER_UNAVAILABLE` */
  require(): void;
  close(): void;
}

/** @throws HaftError `INVALID_OPTIONS` without a ledger: only recorded calls are logged */
export async function createHostAudit(
  settings: AuditSettings | undefined,
  ledger: LedgerStore | undefined,
): Promise<HostAudit> {
  if (settings === undefined) return { ledger, require() {}, close() {} };
  if (ledger === undefined)
    throw invalidOptions(
      "createHost: the audit log contains recorded calls, but this host records nothing.",
      "Give it a stateDir or a store, or leave audit out.",
    );
  const { file, bytes = DEFAULT_AUDIT_BYTES, files = DEFAULT_AUDIT_FILES } = settings;
  const [{ AuditLog }, { withAudit }] = await Promise.all([
    import("./audit-log.ts"),
    import("./with-audit.ts"),
  ]);
  const log = new AuditLog({ file, bytes: parseBytes(bytes) ?? DEFAULT_AUDIT_BYTES, files });
  return { ledger: withAudit(ledger, log), require: () => log.require(), close: () => log.close() };
}

export function listAuditFiles(settings: AuditSettings | undefined): string[] {
  if (settings === undefined) return [];
  const { file, files = DEFAULT_AUDIT_FILES } = settings;
  return [file, ...Array.from({ length: files }, (_, index) => getRotatedFile(file, index + 1))];
}
