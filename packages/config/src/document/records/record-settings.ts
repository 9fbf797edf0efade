import {
  DEFAULT_RETENTION,
  type OptionSchema,
  type OptionSchemas,
  optionsSchema,
  type RecordMode,
} from "@haft/core/internal";
import { AUDIT, type AuditSettings } from "./audit-settings.ts";
import { NATS_SETTINGS, type NatsSettings } from "./nats-settings.ts";

/**
 * Limits stored sessions by age and size. The oldest are removed first; pending calls never.
 *
 * @example
 * ```ts
 * import type { KeepSettings } from "@haft/config";
 * const keep: KeepSettings = { days: 90, bytes: "2 GiB" };
 * ```
 */
export interface KeepSettings {
  /** Limits the age, in days. Default 30. */
  days?: number;
  /** Limits the size, as bytes or a text such as `2 GiB`. Default 500 MB. */
  bytes?: number | string;
}

/**
 * Configures what, where and how durably a host stores.
 *
 * @example
 * ```ts
 * import type { RecordSettings } from "@haft/config";
 * const records: RecordSettings = { record: "full", durability: "full", keep: { days: 90 } };
 * ```
 */
export interface RecordSettings {
  /**
   * Sets what is recorded of calls. `plan`: arguments and plan with known secrets redacted, and of results size, hash and the first 2,000
   * characters. `full`: also the results. `none`: only how calls ended, and what they left. Default `plan`.
   */
  record?: RecordMode;
  /** Sets what a written record survives: `process` the crash of any process, `full` also a loss of power. Default `process`. */
  durability?: "process" | "full";
  /** Limits age and size. */
  keep?: KeepSettings;
  /**
   * Decides about changing calls while the store fails. With `refuse` they do not run. With `record-later` they run, and are recorded
   * later. Default `refuse`.
   */
  onStoreFault?: "refuse" | "record-later";
  /** Sets where sessions are recorded: `sqlite` in the state folder, or a NATS server. Default `sqlite`. */
  store?: "sqlite" | { nats: NatsSettings };
  /** Adds a log of calls. Default: none. */
  audit?: AuditSettings;
}

export const RECORD_SETTINGS: OptionSchemas<RecordSettings> = {
  record: {
    enum: ["plan", "full", "none"],
    description:
      "What is recorded of calls: plan (the default: arguments and plan with secrets redacted, and the beginning of results), full (all results as well), none (only how they ended).",
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
      "Limits the age and size of stored sessions; the oldest are removed first, never a call that waits.",
  },
  onStoreFault: {
    enum: ["refuse", "record-later"],
    description: "Calls that change something while the store fails: refuse (the default), or record-later.",
  },
  store: {
    anyOf: [{ enum: ["sqlite"] }, optionsSchema<{ nats: NatsSettings }>({ nats: NATS_SETTINGS }, ["nats"])],
    description: "Where sessions are stored: sqlite (the default), or { nats } for several hosts.",
  },
  audit: AUDIT,
} satisfies Record<string, OptionSchema>;

/** Only the operator sets these: a workspace must not disable or redirect its records. */
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

/** Returns bytes; `undefined` for an invalid size. */
export function parseBytes(given: number | string): number | undefined {
  if (typeof given === "number") return Number.isFinite(given) && given >= 1 ? Math.floor(given) : undefined;
  const found = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z]{0,3})$/i.exec(given.trim());
  const unit = UNITS[found?.[2]?.toLowerCase() ?? "none"];
  return unit === undefined ? undefined : parseBytes(Number(found?.[1]) * unit);
}

export const BYTES_FIX = "Write a number of bytes, or like 500 MB, 2 GiB.";
