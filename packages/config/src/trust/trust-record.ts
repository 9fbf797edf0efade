import { checkValue } from "@haft/core/internal";
import type { TighteningRules } from "@haft/policy";
import type { SandboxCaps } from "../settings/sandbox-settings.ts";

/** The owner of a workspace configuration trusts this content at this path. All paths are real paths. */
export interface TrustRecord {
  path: string;
  /** Time, as ISO 8601. */
  at: string;
  by: string;
  /** SHA-256 in hexadecimal digits, by file: the configuration, and the files that it reads and loads. */
  files: Readonly<Record<string, string>>;
  packages: readonly TrustedPackage[];
  places: Readonly<Record<string, string>>;
  /** Contains the tightening rules, which stay in force when trust ends. */
  tightens: { config: TighteningRules; limits?: SandboxCaps };
}

export interface TrustedPackage {
  folder: string;
  name: string;
  version: string;
  /** SHA-256 of paths and content of all its files, without nested packages. */
  digest: string;
  /** Contains the integrity in the project's lockfile; absent if it is not listed. */
  lock?: { file: string; integrity: string };
  named?: boolean;
}

const TEXT = { type: "string", minLength: 1 };
const HASH = { type: "string", pattern: "^[0-9a-f]{64}$" };

const RECORD = {
  type: "object",
  required: ["path", "at", "by", "files", "packages", "places", "tightens"],
  properties: {
    path: TEXT,
    at: TEXT,
    by: TEXT,
    files: { type: "object", additionalProperties: HASH },
    packages: {
      type: "array",
      items: {
        type: "object",
        required: ["folder", "name", "version", "digest"],
        properties: {
          folder: TEXT,
          name: TEXT,
          version: { type: "string" },
          digest: HASH,
          lock: {
            type: "object",
            required: ["file", "integrity"],
            properties: { file: TEXT, integrity: TEXT },
          },
        },
      },
    },
    places: { type: "object", additionalProperties: TEXT },
    tightens: {
      type: "object",
      required: ["config"],
      properties: { config: { type: "object" }, limits: { type: "object" } },
    },
  },
};

export function parseRecord(text: string, path?: string): TrustRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("it is damaged");
  }
  if (checkValue(RECORD, value, 1).length > 0) throw new Error("it is not a trust record");
  const record = value as TrustRecord;
  if (path !== undefined && record.path !== path) throw new Error("it is of another file");
  return record;
}
