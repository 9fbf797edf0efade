import { defineTool, Type } from "@haft/plugin-sdk";
import type { Static, Tool, Workspace } from "@haft/plugin-sdk";
import type { ImageLimits } from "../images/image-limits.ts";
import type { ReadImageDetails } from "../images/read-image.ts";
import { lazily } from "../lazily.ts";
import type { ReadTextDetails } from "./result.ts";

const schema = Type.Object(
  {
    path: Type.String({ minLength: 1, description: "File to read, relative to the workspace root." }),
    offset: Type.Optional(Type.Integer({ minimum: 1, description: "First line to show, counted from 1." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "Most lines to show." })),
    cursor: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "Character of the offset line to begin at; for lines too long for one page.",
      }),
    ),
    optional: Type.Optional(
      Type.Boolean({ description: "Answer that the file is missing instead of failing when it is." }),
    ),
  },
  { additionalProperties: false },
);

export type ReadToolInput = Static<typeof schema>;

/** Said of a missing file when the caller called it optional. */
export interface ReadNotFoundDetails {
  kind: "not_found";
  path: string;
  optional: true;
}

export type ReadToolDetails = (ReadTextDetails | ReadImageDetails | ReadNotFoundDetails) & {
  /** Said when it was asked for by a name that is bound to a sandbox. */
  sandbox?: true;
};

export interface ReadToolOptions {
  /** Where to read; the calling session's workspace by default. */
  workspace?: Workspace;
  /** What the model's provider takes; the common denominator by default. */
  imageLimits?: Partial<ImageLimits>;
}

const DESCRIPTION =
  "Read a text file, or look at an image (png, jpeg, gif, webp). Long files come in pages: the notice " +
  "at the end of a page says which arguments give the next one. Line ends are shown as LF, without a byte order mark.";

/** Loaded with the first call. */
const work = lazily(() => import("./run-read.ts"));

/** The `read` tool: one page of a file, whatever the file's size. */
export function createReadTool(options: ReadToolOptions = {}): Tool<typeof schema, ReadToolDetails> {
  return defineTool({
    name: "read",
    label: "Read",
    description: DESCRIPTION,
    parameters: schema,
    effects: ["read"],
    aliases: { path: ["file_path", "filePath", "file"] },
    otherNames: { sandboxed_read: { place: "sandbox" } },
    groups: ["fs"],
    async plan(params, context) {
      return (await work()).planRead(params, options.workspace ?? context.workspace);
    },
    async execute(_toolCallId, params, signal, _onUpdate, context) {
      const result = await (await work()).runRead(params, signal, context, options);
      // A tool that brings its own workspace is also called without a session.
      if (context?.toolName !== "sandboxed_read") return result;
      return { ...result, details: { ...result.details, sandbox: true } };
    },
  });
}
