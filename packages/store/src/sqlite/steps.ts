import { APPROVAL_TABLES } from "./approvals/tables.ts";
import type { MigrationStep } from "./database/migrate.ts";
import { STORE_TABLES } from "./database/store-tables.ts";
import { LEDGER_TABLES, TIMES } from "./ledger/tables.ts";
import { NOTICE_TABLES } from "./notices/tables.ts";
import { PROCESS_TABLES } from "./processes/tables.ts";

/** The form of the file, step by step. New ones go to the end; none is ever changed once it was released. */
export const STEPS: readonly MigrationStep[] = [
  STORE_TABLES,
  LEDGER_TABLES,
  APPROVAL_TABLES,
  PROCESS_TABLES,
  NOTICE_TABLES,
  TIMES,
];
