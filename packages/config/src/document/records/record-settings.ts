import {
  DEFAULT_RETENTION,
  type OptionSchema,
  type OptionSchemas,
  optionsSchema,
  type RecordMode,
} from "@haft/core/internal";
import { AUDIT, type AuditSettings } from "./audit-settings.ts";
import { NATS_SETTINGS, type NatsSettings } from "./nats-settings.ts";

/** How long, and how much, is kept of sessions. The oldest goes first, and never a call that waits. */
export interface KeepSettings {
  /** Days; 30 by default. */
  days?: number;
  /** Bytes, as a number or a text such as `500 MB` (the default), `2 GiB`. */
  bytes?: number | string;
}

/** What a host keeps of its sessions beyond its process, where, and how safely. */
export interface RecordSettings {
  /**
   * What is kept of calls. `plan` (the default): canonical arguments and plan, known secrets covered, and of results size,
   * hash and the first 2,000 characters. `full`: results, too. `none`: how they ended, and what was left behind.
   */
  record?: RecordMode;
  /** What it is safe from when it is written. `process` (the default): the death of any process. `full`: a power cut, too. */
  durability?: "process" | "full";
  /** How long, and how much, is kept. */
  keep?: KeepSettings;
  /**
   * What becomes of calls that change things while nothing can be written. `refuse` (the default): they do not run.
   * `record-later`: they run, and are written down once that can be done again.
   */
  onStoreFault?: "refuse" | "record-later";
  /** Where it is kept: `sqlite` (the default), in the state folder; or a NATS server, for several hosts. */
  store?: "sqlite" | { nats: NatsSettings };
  /** A log of calls beside it, for people and programs that watch. Default: none. */
  audit?: AuditSettings;
}

/** What each of {@link RecordSettings} may be. */
export const RECORD_SETTINGS: OptionSchemas<RecordSettings> = {
  record: {
    enum: ["plan", "full", "none"],
    description:
      "What is kept of calls: plan (the default: arguments and plan, secrets covered, and the heads of results), full (results, too), none (how they ended).",
  },
  durability: {
    enum: ["process", "full"],
    description:
      "What records are safe from: process (the default), the death of any; full, a power cut, too.",
  },
  keep: {
    ...optionsSchema<KeepSettings>({
      days: { type: "number", exclusiveMinimum: 0, description: `Days. Default ${DEFAULT_RETENTION.days}.` },
      bytes: {
        anyOf: [{ type: "number", exclusiveMinimum: 0 }, { type: "string" }],
        description: "Bytes, as a number or like 500 MB, the default.",
      },
    }),
    description:
      "How long, and how much, is kept of sessions; the oldest goes first, never a call that waits.",
  },
  onStoreFault: {
    enum: ["refuse", "record-later"],
    description:
      "Calls that change things while nothing can be written: refuse (the default), or record-later.",
  },
  store: {
    anyOf: [{ enum: ["sqlite"] }, optionsSchema<{ nats: NatsSettings }>({ nats: NATS_SETTINGS }, ["nats"])],
    description: "Where sessions are kept: sqlite (the default), or { nats } for several hosts.",
  },
  audit: AUDIT,
} satisfies Record<string, OptionSchema>;

/** What only the operator of a host says: no workspace, trusted or not, switches its own records off or sends them elsewhere. */
export const RECORD_KEYS = Object.keys(RECORD_SETTINGS) as (keyof RecordSettings)[];

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** Bytes that a text or a number means; `undefined` where it means none. */
export function parseBytes(given: number | string): number | undefined {
  if (typeof given === "number") return Number.isFinite(given) && given >= 1 ? Math.floor(given) : undefined;
  const found = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]{0,3})$/i.exec(given.trim());
  const unit = UNITS[found?.[2]?.toLowerCase() ?? "none"];
  return unit === undefined ? undefined : parseBytes(Number(found?.[1]) * unit);
}

export const BYTES_FIX = "Write a number of bytes, or like 500 MB, 2 GiB.";
