import { text, type ToolResult } from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { isUtf8 } from "node:buffer";
import { type ChangeCall, describeFile } from "../changes/change-call.ts";
import type { ChangeReport, FileChange } from "../changes/plan/change-report.ts";
import type { PlannedFile, PlannedTree } from "../changes/plan/planned-tree.ts";
import { applyConventions } from "../changes/text/conventions.ts";
import { invalidBytesError } from "../changes/text/file-text.ts";
import { encode, type Encoding, encodingName } from "../content/codecs.ts";
import { bomLength, hasMarks, isMostlyText, REPLACEMENT } from "../content/encoding.ts";
import { CR, LF } from "../lines/scanner.ts";

export { planChangeCall, runChangeCall, toFileChangeRequest } from "../changes/change-call.ts";
import { rememberShown } from "../changes/shown-versions.ts";
export { requireShownVersion } from "../changes/shown-versions.ts";
export { requireHash } from "../changes/plan/preconditions.ts";
export { requireWellFormed } from "../changes/text/file-text.ts";

/**
 * Describes the `details` of `write`.
 *
 * @example
 * ```ts
 * import type { WriteToolDetails } from "@haft/tools-fs";
 * const describe = ({ path, created, changed, bytesWritten }: WriteToolDetails) =>
 *   changed ? `${created ? "Created" : "Changed"} ${path}: ${bytesWritten} bytes` : `${path} is unchanged.`;
 * ```
 */
export interface WriteToolDetails {
  /** Contains the path as the call has it. */
  path: string;
  /** Counts written bytes; 0 if the file already had the content. */
  bytesWritten: number;
  /** Whether the file is new. */
  created: boolean;
  /** Whether the file has changed. */
  changed: boolean;
  /** Properties that the file has in addition to the sent content: CRLF line endings, a byte order mark, another encoding. */
  kept?: readonly ("bom" | "crlf" | "utf-16le" | "utf-16be" | "windows-1252")[];
  /** Contains the SHA-256 of the file after the call, for a later `ifMatch`. */
  hash: string;
  /** Contains a unified diff. Absent if the file is unchanged, binary, or the diff is too large. */
  diff?: string;
  /** Contains the first changed line, from 1. */
  firstChangedLine?: number;
  /** Identifies the write for undo, if there is a journal. */
  transactionId?: string;
  /** Contains the option `workspaceOnly`, or its value for the tool's name. */
  workspaceOnly?: boolean;
}

export function rememberWritten(call: ChangeCall<{ content: string }>, { files }: ChangeReport): void {
  const { path, after } = files[0] as FileChange;
  if (after !== null) rememberShown(call, path, after, call.params.content.replaceAll("\r\n", "\n"));
}

interface WrittenForm {
  kept: readonly KeptForm[];
  /** Names the encoding of the old file, if the new file is UTF-8 instead. */
  replaced?: string;
}

/**
 * Uses the form of the file, or of the project for a new file. Text that the encoding of the file cannot represent is written as UTF-8.
 *
 * @throws `INVALID_TEXT` for content with marks of invalid bytes
 */
export async function putContent(
  tree: PlannedTree,
  file: PlannedFile,
  content: string,
  lineEndings: LineEndings,
): Promise<WrittenForm> {
  if (file.before === undefined) return putNewFile(tree, file, content, lineEndings);
  const { bytes: raw, decoded } = file.before;
  if (decoded === undefined && content.includes(REPLACEMENT) && hasMarks(REPLACEMENT, raw))
    throw invalidBytesError(file.target.path, "content");
  const { bytes, kept } = adoptForm(content, decoded?.text ?? raw, lineEndings);
  if (decoded === undefined) {
    tree.put(file, bytes);
    return { kept, ...(!isUtf8(raw) && isMostlyText(raw) && { replaced: "an unknown encoding" }) };
  }
  const { encoding } = decoded;
  const fits = "bytes" in encode(bytes, encoding);
  tree.put(file, bytes, fits ? { encoding } : {});
  return fits ? { kept: [...kept, encoding] } : { kept, replaced: encodingName(encoding) };
}

async function putNewFile(
  tree: PlannedTree,
  file: PlannedFile,
  content: string,
  lineEndings: LineEndings,
): Promise<WrittenForm> {
  const { lineEnding, ...others } = await tree.conventions(file);
  const effective = lineEndings === "keep" && lineEnding !== undefined ? { ...others, lineEnding } : others;
  tree.put(file, applyConventions(withLineEndings(content, lineEndings), effective));
  return { kept: [] };
}

type KeptForm = "crlf" | "bom" | Encoding;

type LineEndings = "keep" | "lf" | "crlf";

/**
 * Keeps the byte order mark, and CRLF if all lines end in CRLF, because readers do not see either. Content with a mark or any CR stays
 * unchanged.
 */
function adoptForm(content: string, before: Buffer, lineEndings: LineEndings) {
  const kept: KeptForm[] = [];
  let formed = withLineEndings(content, lineEndings);
  if (
    lineEndings === "keep" &&
    everyLineEndsInCrlf(before) &&
    content.includes("\n") &&
    !content.includes("\r")
  ) {
    formed = content.replaceAll("\n", "\r\n");
    kept.push("crlf");
  }
  const bytes = Buffer.from(formed);
  const bom = bomLength(before);
  if (bom === 0 || bytes.length === 0 || bomLength(bytes) > 0) return { bytes, kept };
  kept.push("bom");
  return { bytes: Buffer.concat([before.subarray(0, bom), bytes]), kept };
}

function withLineEndings(content: string, lineEndings: LineEndings): string {
  if (lineEndings === "keep") return content;
  return content.replace(/\r\n|\r|\n/g, lineEndings === "lf" ? "\n" : "\r\n");
}

function everyLineEndsInCrlf(bytes: Buffer): boolean {
  let at = bytes.indexOf(LF);
  if (at < 0) return false;
  for (; at >= 0; at = bytes.indexOf(LF, at + 1)) if (bytes[at - 1] !== CR) return false;
  return true;
}

export function writeResult(
  call: ChangeCall,
  report: ChangeReport,
  { kept, replaced }: WrittenForm,
): ToolResult<WriteToolDetails> {
  const file = report.files[0] as FileChange;
  const details = withoutUndefined<WriteToolDetails>({
    ...describeFile(call, report),
    bytesWritten: report.changed ? file.bytesAfter : 0,
    created: file.kind === "added",
    kept: kept.length === 0 ? undefined : kept,
  });
  const receipt = details.changed ? "committed" : "none";
  const conversion =
    replaced === undefined || !details.changed
      ? ""
      : `\nThe old file was in ${replaced}; the new file is UTF-8.`;
  return { content: [text(summary(details, file) + conversion)], details, receipt };
}

function summary({ path, changed, bytesWritten, kept = [] }: WriteToolDetails, file: FileChange): string {
  const form = describeKept(kept);
  if (changed) {
    const done = `Successfully wrote ${bytesWritten} bytes to ${path}`;
    return form === "" ? done : `${done}. The file kept its ${form}.`;
  }
  const same = form === "" ? "exactly this content" : `this content (with ${form})`;
  return `${path} already has ${same} (${file.bytesAfter} bytes); nothing was written.`;
}

function describeKept(kept: readonly KeptForm[]): string {
  const names = { crlf: "CRLF line endings", bom: "byte order mark" };
  return kept
    .map((form) => (form === "crlf" || form === "bom" ? names[form] : encodingName(form)))
    .join(" and ");
}
