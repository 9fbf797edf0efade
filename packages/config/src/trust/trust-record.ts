import { checkValue } from "@haft/core/internal";
import type { TighteningRules } from "@haft/policy";
import type { SandboxCaps } from "../settings/sandbox-settings.ts";

/** What the owner of a configuration in a workspace agreed to: this content, in this place. All paths are real ones. */
export interface TrustRecord {
  path: string;
  /** When, as ISO 8601. */
  at: string;
  by: string;
  /** SHA-256 of each file, in hexadecimal digits: the configuration, and what it reads and loads. */
  files: Readonly<Record<string, string>>;
  packages: readonly TrustedPackage[];
  places: Readonly<Record<string, string>>;
  /** What it takes away: it holds on when the rest does not. */
  tightens: { config: TighteningRules; limits?: SandboxCaps };
}

export interface TrustedPackage {
  folder: string;
  name: string;
  version: string;
  /** SHA-256 of the paths and the content of all its files, nested packages aside. */
  digest: string;
  /** What the lockfile of its project says of it; absent where none speaks of it. */
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
  if (checkValue(RECORD, value, 1).length > 0) throw new Error("it is no record of trust");
  const record = value as TrustRecord;
  if (path !== undefined && record.path !== path) throw new Error("it is of another file");
  return record;
}
