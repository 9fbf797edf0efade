import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import { DEFAULT_AUDIT_FILES } from "../../defaults.ts";

/**
 * Configures a log of calls: one line of JSON for each step of each call.
 *
 * @example
 * ```ts
 * import type { AuditSettings } from "@haft/config";
 * const audit: AuditSettings = { file: "/var/log/agent/audit.jsonl", bytes: "50 MB", files: 10 };
 * ```
 */
export interface AuditSettings {
  /** Names the file. In a configuration, the path starts at its folder, or with `~/`. */
  file: string;
  /** Limits the size of a file, as bytes or a text such as `10 MB`. A full file becomes `FILE.1`. Default 10 MB. */
  bytes?: number | string;
  /** Sets the number of old files, 1 to 50. Default 5. */
  files?: number;
}

export const AUDIT: OptionSchema = {
  ...optionsSchema<AuditSettings>(
    {
      file: { type: "string", minLength: 1, description: "The file." },
      bytes: {
        anyOf: [{ type: "number", exclusiveMinimum: 0 }, { type: "string" }],
        description: "Bytes of a file, as a number or like 10 MB, the default.",
      },
      files: {
        type: "integer",
        minimum: 1,
        maximum: 50,
        description: `Number of old files that stay. Default ${DEFAULT_AUDIT_FILES}.`,
      },
    },
    ["file"],
  ),
  description: "A log of calls, a line of JSON for each step, in addition to the records of sessions.",
};
