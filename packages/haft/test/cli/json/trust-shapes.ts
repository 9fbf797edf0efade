import type { Names, Shape } from "./shape.ts";

// The part of shapes.ts that is about haft config trust.

export const trustNames: Names = {
  Asked: { key: "string", value: "unknown" },
  TrustedPackage: {
    folder: "string",
    name: "string",
    version: "string",
    digest: "string",
    "lock?": { file: "string", integrity: "string" },
    "named?": "boolean",
  },
};

export const trustShapes: Readonly<Record<string, Shape>> = {
  "config trust": { files: [{ path: "string", trusted: "boolean", "since?": "string", "asks?": "Asked[]" }] },
  "config trusted": {
    trusted: [{ path: "string", at: "string", by: "string", "ended?": "string" }],
    problems: "string[]",
  },
  "config trusted FILE": {
    files: [
      {
        path: "string",
        trust: '"trusted" | "not trusted" | "ended"',
        "at?": "string",
        "by?": "string",
        "ended?": "string",
        "problem?": "string",
        "asks?": "Asked[]",
        files: { "[path]": "string" },
        packages: "TrustedPackage[]",
      },
    ],
  },
  "config untrust": { revoked: "string[]", unknown: "string[]" },
};
