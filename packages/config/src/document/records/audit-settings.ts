import { type OptionSchema, optionsSchema } from "@haft/core/internal";
import { DEFAULT_AUDIT_FILES } from "../../defaults.ts";

/** A log of calls for people and programs that watch: a line of JSON for each step of each call. */
export interface AuditSettings {
  /** The file. In a configuration its path begins at the configuration's folder, or with `~/`. */
  file: string;
  /** Bytes of a file, as a number or a text such as `10 MB` (the default): then it becomes `FILE.1`, and a new one is begun. */
  bytes?: number | string;
  /** Old files that are kept, 1 to 50; 5 by default. */
  files?: number;
}

/** What {@link AuditSettings} may be. */
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
        description: `Old files that are kept. Default ${DEFAULT_AUDIT_FILES}.`,
      },
    },
    ["file"],
  ),
  description: "A log of calls, a line of JSON for each step, beside what is recorded of sessions.",
};
