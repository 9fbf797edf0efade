import { text, type TextBlock, type ToolResult } from "@haft/plugin-sdk";
import { withoutUndefined, formatBytes } from "@haft/utils";
import { encodingName } from "../content/codecs.ts";
import type { ReadImageDetails } from "../images/read-image.ts";
import type { PageRequest, ReadPage } from "./text-page.ts";

/**
 * Describes the `details` of `read`, by kind of the file.
 *
 * @example
 * ```ts
 * import type { ReadToolDetails } from "@haft/tools-fs";
 * const nextPage = (details: ReadToolDetails) =>
 *   details.kind === "text" && details.continuation ? { path: details.path, ...details.continuation } : undefined;
 * ```
 */
export type ReadToolDetails = {
  /** Present if the tool is bound to a sandbox. */
  sandbox?: true;
} & (
  | {
      kind: "text";
      /** Contains the path as the call has it. */
      path: string;
      /** Counts lines of the whole file. */
      lines: number;
      /** The file has more than `lines` lines: the count was stopped. */
      linesAtLeast?: true;
      /** Whether the page is only a part of the file. */
      truncated: boolean;
      /** Contains the size of the whole file in bytes. */
      size: number;
      /** Contains the SHA-256 in hex, if the page has the whole file. */
      hash?: string;
      /** Contains the version of the file, which changes with the content. */
      version: string;
      /** Names the encoding of the file. The text of the page does not depend on it. */
      encoding: "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "windows-1252";
      /** Present if the encoding was guessed from the content. */
      encodingGuessed?: true;
      /** Present if the file continues after the page. */
      truncation?: {
        truncatedBy: "lines" | "bytes";
        totalLines: number;
        outputLines: number;
        totalBytes: number;
        outputBytes: number;
        /** Indicates that the page ends inside a line. */
        lastLinePartial: boolean;
        /** Contains the caller's limit of lines, if given. */
        maxLines?: number;
        /** Limits the bytes of this call, including the notice. */
        maxBytes: number;
      };
      /** Contains the arguments for the next page, without the path. */
      continuation?: { kind: "line" | "cursor"; offset: number; cursor?: number; limit?: number };
    }
  | ReadImageDetails
  /** Describes a missing file that the call declared optional. */
  | { kind: "not_found"; path: string; optional: true }
);

export type ReadTextDetails = Extract<ReadToolDetails, { kind: "text" }>;

export function textResult(path: string, page: ReadPage, request: PageRequest): ToolResult<ReadTextDetails> {
  const notices = [
    explain(page, request),
    guess(page),
    describeDamage(page),
    page.changed ? CHANGED : "",
  ].filter((notice) => notice !== "");
  const content: TextBlock[] = page.text === "" ? [] : [text(page.text, languageOf(path))];
  if (notices.length > 0) content.push(text(notices.join("\n")));
  return { content, details: describe(path, page, request) };
}

const CHANGED = "[The file changed while it was read: line numbers may have shifted.]";

function guess({ encoding }: ReadPage): string {
  if (encoding?.guessed !== true) return "";
  return `[The file is not UTF-8. It was read as ${encodingName(encoding.encoding)}, which is a guess.]`;
}

function describeDamage({ invalidLine, damaged, encoding }: ReadPage): string {
  if (damaged === true && encoding !== undefined)
    return `[Some characters are not valid ${encodingName(encoding.encoding)}, and are shown as \ufffd. edit and apply_patch cannot change this file.]`;
  if (invalidLine === undefined) return "";
  return `[Some bytes are not UTF-8, the first in line ${invalidLine}. They are shown as \ufffd. edit and apply_patch keep them, if the old text does not contain them.]`;
}

function explain(page: ReadPage, request: PageRequest): string {
  const { offset, budget } = request;
  const total = page.linesExact ? `${page.lines}` : `more than ${page.lines}`;
  if (page.stat.size === 0) return "[The file is empty.]";
  if (page.bom && page.lines === 0) return "[The file is empty except for a byte order mark.]";
  if (page.shown === 0) {
    const count = page.lines === 1 ? "1 line" : `${total} lines`;
    return `[Nothing at offset=${offset}: the file has ${count}.]`;
  }
  if (page.next === undefined) {
    return /\S/.test(page.text)
      ? ""
      : `[Only blank space here: ${page.shown} of ${total} lines, ${page.stat.size} bytes in the file.]`;
  }
  const { next } = page;
  const capped = page.cutBy === "bytes" ? ` Read output capped at ${formatBytes(budget)} for this call.` : "";
  if (next.cursor !== undefined) {
    const shown = `[Showing characters ${request.cursor}-${next.cursor - 1} of line ${offset} of ${total}.`;
    return `${shown}${capped} Use offset=${next.offset} cursor=${next.cursor} to continue.]`;
  }
  const last = next.offset - 1;
  return `[Showing lines ${offset}-${last} of ${total}.${capped} Use offset=${next.offset} to continue.]`;
}

function describe(path: string, page: ReadPage, request: PageRequest): ReadTextDetails {
  const { limit, budget } = request;
  const { next } = page;
  const details: ReadTextDetails = {
    kind: "text",
    path,
    lines: page.lines,
    truncated: next !== undefined,
    size: page.stat.size,
    version: page.stat.version,
    encoding: page.encoding?.encoding ?? (page.bom ? "utf-8-bom" : "utf-8"),
  };
  if (page.encoding?.guessed === true) details.encodingGuessed = true;
  if (!page.linesExact) details.linesAtLeast = true;
  if (page.hash !== undefined) details.hash = page.hash;
  if (next === undefined) return details;
  details.truncation = withoutUndefined({
    truncatedBy: page.cutBy ?? "bytes",
    totalLines: page.lines,
    outputLines: page.shown,
    totalBytes: page.stat.size,
    outputBytes: Buffer.byteLength(page.text),
    lastLinePartial: next.cursor !== undefined,
    maxLines: limit,
    maxBytes: budget,
  });
  details.continuation = withoutUndefined({
    kind: next.cursor === undefined ? "line" : "cursor",
    offset: next.offset,
    cursor: next.cursor,
    limit,
  });
  return details;
}

/** Maps an extension or whole name to the language of a Markdown fence, if it differs. */
const LANGUAGES: Readonly<Record<string, string>> = {
  bash: "sh",
  cc: "cpp",
  cjs: "js",
  cts: "ts",
  cxx: "cpp",
  dockerfile: "dockerfile",
  gemfile: "rb",
  h: "c",
  hh: "cpp",
  hpp: "cpp",
  htm: "html",
  jsonl: "json",
  ksh: "sh",
  makefile: "makefile",
  markdown: "md",
  mjs: "js",
  mk: "makefile",
  mts: "ts",
  patch: "diff",
  pyi: "py",
  rakefile: "rb",
  svg: "xml",
  webmanifest: "json",
  yml: "yaml",
  zsh: "sh",
};

/** Extensions that are also names of languages. */
const SELF: ReadonlySet<string> = new Set(
  (
    "c clj cpp cs css csv dart diff elm erl ex exs fs go gradle graphql groovy hcl hs html ini java jl js json json5 " +
    "jsonc jsx kt less lua md mdx ml nix perl php pl proto ps1 py r rb rs sass scala scss sh sol sql svelte swift tex " +
    "tf toml ts tsx vim vue xml yaml zig"
  ).split(" "),
);

function languageOf(path: string): string | undefined {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).toLowerCase();
  const key = name.slice(name.lastIndexOf(".") + 1);
  return Object.hasOwn(LANGUAGES, key) ? LANGUAGES[key] : SELF.has(key) && key !== name ? key : undefined;
}
