import type { MigrationStep } from "../database/migrate.ts";

/**
 * A request is whole (`record`) until it is decided; afterwards it is known for a while how it ended. A grant that was revoked
 * leaves its id, so that nothing brings it back.
 */
export const APPROVAL_TABLES: MigrationStep = {
  name: "approvals",
  sql: `
    CREATE TABLE requests (
      id TEXT PRIMARY KEY,
      agent TEXT NOT NULL,
      session_key TEXT NOT NULL,
      exact_key TEXT,
      record TEXT NOT NULL,
      secret TEXT NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'decided', 'withdrawn', 'expired')),
      asked_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      asker TEXT,
      answer TEXT,
      taken INTEGER NOT NULL DEFAULT 0,
      settled_at INTEGER
    ) STRICT;
    CREATE INDEX requests_by_state ON requests (state, expires_at);
    CREATE INDEX requests_of_call ON requests (agent, session_key, exact_key) WHERE state = 'answered';

    CREATE TABLE grants (
      id TEXT PRIMARY KEY,
      agent TEXT NOT NULL,
      session_key TEXT NOT NULL,
      record TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      used INTEGER NOT NULL DEFAULT 0,
      last_used_at INTEGER,
      revoked_at INTEGER
    ) STRICT;
    CREATE INDEX grants_of_scope ON grants (agent, session_key) WHERE revoked_at IS NULL;
  `,
};
