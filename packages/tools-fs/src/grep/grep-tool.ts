import { defineTool, Type } from "@haft/plugin-sdk";
import type { Static, Tool, Workspace } from "@haft/plugin-sdk";
import { lazily } from "../lazily.ts";
import type { GrepToolDetails } from "./grep-answer.ts";

const schema = Type.Object(
  {
    pattern: Type.String({
      minLength: 1,
      description: "Regular expression (JavaScript), matched within single lines.",
    }),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        description: "File or directory to search; the workspace root by default.",
      }),
    ),
    glob: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Only files like *.ts or src/**/*.{ts,tsx}; with a ! in front, all others.",
      }),
    ),
    literal: Type.Optional(Type.Boolean({ description: "Take the pattern as plain text." })),
    ignoreCase: Type.Optional(Type.Boolean({ description: "Upper and lower case are the same." })),
    context: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 20, description: "Lines to show before and after each match." }),
    ),
    filesOnly: Type.Optional(Type.Boolean({ description: "Only name the files that have a match." })),
    maxPerFile: Type.Optional(Type.Integer({ minimum: 1, description: "Most matching lines of one file." })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 5000,
        description: "Most matching lines (or files), 100 by default.",
      }),
    ),
    after: Type.Optional(
      Type.String({ description: "Go on after this place (path:line) of an earlier answer." }),
    ),
    includeIgnored: Type.Optional(Type.Boolean({ description: "Also search what .gitignore hides." })),
  },
  { additionalProperties: false },
);

export type GrepToolInput = Static<typeof schema>;

export interface GrepToolOptions {
  /** Where to look; the calling session's workspace by default. */
  workspace?: Workspace;
  /**
   * Absolute path of a ripgrep program, `false` for none; by default the one on the PATH that no session and no other
   * user could have put there. It only rules files out: what is shown is always read through the workspace, and is
   * the same without it.
   */
  ripgrep?: string | false;
  /** How long a regular expression may take on 1 MiB of text, in milliseconds; 5,000 by default. */
  deadlineMs?: number;
}

/** Loaded with the first call. */
const work = lazily(() => import("./run-grep.ts"));

/** The `grep` tool: lines that match a pattern. */
export function createGrepTool(options: GrepToolOptions = {}): Tool<typeof schema, GrepToolDetails> {
  return defineTool({
    name: "grep",
    label: "Grep",
    description:
      "Search files for a regular expression or plain text. Binary files, .git and what .gitignore hides are left " +
      "out; links are not followed. Answers line:text by file; context lines are marked with -.",
    parameters: schema,
    effects: ["read"],
    aliases: {
      pattern: ["regex", "query", "search"],
      path: ["directory", "dir", "folder", "file"],
      glob: ["include"],
      ignoreCase: ["caseInsensitive", "case_insensitive"],
    },
    groups: ["fs"],
    async plan(params, context) {
      return (await work()).planGrep(params, options.workspace ?? context.workspace);
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      return (await work()).runGrep(params, signal, context, options);
    },
  });
}
