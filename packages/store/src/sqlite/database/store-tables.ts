import type { MigrationStep } from "./migrate.ts";

export const STORE_TABLES: MigrationStep = {
  name: "store",
  sql: `
    CREATE TABLE store (
      only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
      id INTEGER NOT NULL,
      commits INTEGER NOT NULL
    ) STRICT;
    INSERT INTO store VALUES (1, abs(random() % (1 << 48)) + 1, 0);

    CREATE TABLE incidents (
      found_at INTEGER NOT NULL,
      what TEXT NOT NULL
    ) STRICT;
  `,
};
