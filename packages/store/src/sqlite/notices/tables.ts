import type { MigrationStep } from "../database/migrate.ts";

export const NOTICE_TABLES: MigrationStep = {
  name: "notices",
  sql: `
    CREATE TABLE notices (
      approval_id TEXT NOT NULL,
      target TEXT NOT NULL,
      at INTEGER NOT NULL,
      state TEXT NOT NULL,
      problem TEXT,
      PRIMARY KEY (approval_id, target)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX notices_by_time ON notices (at);
  `,
};
