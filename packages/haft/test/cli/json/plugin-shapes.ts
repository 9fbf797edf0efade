import type { Names, Shape } from "./shape.ts";

/** What several actions of `haft plugins` print. */
export const pluginNames: Names = {
  PluginProblem: { code: "string", message: "string", fix: "string" },
  PluginTool: {
    name: "string",
    from: '"static" | "factory"',
    optional: "boolean",
    "channels?": "string[]",
    "effects?": "string[]",
    "description?": "string",
  },
  PackageStays: { stays: "string" },
  PinnedPackage: { version: "string", "integrity?": "string", ours: "boolean" },
  PluginReport: {
    use: "string",
    source: "string",
    "at?": "string",
    state: '"ready" | "loaded" | "broken" | "withheld" | "given"',
    "id?": "string",
    "name?": "string",
    "version?": "string",
    "file?": "string",
    "package?": { name: "string", version: "string", folder: "string" },
    "pinned?": "PinnedPackage",
    tools: "PluginTool[]",
    replaces: "string[]",
    "problem?": "PluginProblem",
    "late?": { code: "string", message: "string", at: "number", names: "string[]" },
    notes: "string[]",
    "triedAt?": "number",
    "loader?": '"node" | "tsx"',
  },
  Diagnostic: {
    code: "string",
    pluginId: "string",
    names: "string[]",
    message: "string",
    fix: "string",
  },
  FileChange: {
    path: "string",
    kind: '"added" | "modified" | "deleted" | "moved" | "unchanged"',
    "from?": "string",
    before: "string | null",
    after: "string | null",
    bytesBefore: "number",
    bytesAfter: "number",
    added: "number",
    removed: "number",
    "firstChangedLine?": "number",
    "diff?": "string",
    "diffOmitted?": '"binary" | "too large"',
    hunks: "object[]",
    "encoding?": "string",
    "encodingGuessed?": "true",
    "irreversible?": "boolean",
  },
};

/** What each prints: a part of the shapes of the command. */
export const pluginShapes: Readonly<Record<string, Shape>> = {
  "plugins add": {
    use: "string",
    plugin: "object",
    "package?": "PinnedPackage",
    module: "string",
    notes: "string[]",
    configuration: {
      file: "string",
      as: '"--config" | "HAFT_CONFIG" | "user" | "project"',
      outcome: '"changed" | "unchanged" | "by hand"',
    },
    diagnostics: "Diagnostic[]",
  },
  "plugins add --dry-run": { steps: "string[]" },
  "plugins remove": {
    use: "string",
    "package?": '"removed" | PackageStays',
    configuration: {
      file: "string",
      as: '"--config" | "HAFT_CONFIG" | "user" | "project"',
      outcome: '"changed" | "unchanged" | "by hand"',
    },
  },
  "plugins remove --dry-run": { steps: "string[]" },
  "plugins list": {
    plugins: "PluginReport[]",
    diagnostics: "Diagnostic[]",
    untrusted: [{ file: "string", use: "string" }],
  },
  "plugins info": {
    report: "PluginReport",
    "description?": "string",
    "licence?": "unknown",
    "homepage?": "unknown",
    "wanted?": "string",
    definitions: [
      {
        name: "string",
        description: "string",
        parameters: "object",
        effects: "string[]",
        tokens: "number",
        "[more]": "unknown",
      },
    ],
    files: "string[]",
  },
  "plugins why": {
    asked: "string",
    session: '"main" | "group" | "sandboxed"',
    reasons: [
      {
        about: "string",
        there: "boolean",
        "code?": "string",
        reason: "string",
        "fix?": "string",
        "plugin?": "string",
        "named?": "string",
      },
    ],
  },
  "plugins check": {
    ok: "boolean",
    plugins: [
      {
        plugin: "string",
        ok: "boolean",
        report: "PluginReport",
        findings: [{ severity: '"error" | "note"', "code?": "string", message: "string", "fix?": "string" }],
      },
    ],
  },
};
