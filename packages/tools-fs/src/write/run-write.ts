import { type CallPlan, text, type ToolResult, withoutUndefined } from "@haft/plugin-sdk";
import type { ChangeCall } from "../changes/change-call.ts";
import { toFileChangeRequest, describeFile, planChangeCall, runChangeCall } from "../changes/change-call.ts";
import type { FileChange } from "../changes/plan/change-report.ts";
import type { PlannedTree } from "../changes/plan/planned-tree.ts";
import { requireHash } from "../changes/plan/preconditions.ts";
import { applyConventions } from "../changes/text/conventions.ts";
import { requireWellFormed } from "../changes/text/file-text.ts";
import { type Encoding, encodingName } from "../content/codecs.ts";
import { bomLength } from "../content/encoding.ts";
import { CR, LF } from "../lines/scanner.ts";
import type { WriteToolDetails, WriteToolInput } from "./write-schema.ts";

type WriteCall = ChangeCall<WriteToolInput>;

export const writeWork = { plan, run };

function plan(call: WriteCall): Promise<CallPlan> {
  return planChangeCall(call, changeOf(call));
}

async function run(call: WriteCall): Promise<ToolResult<WriteToolDetails>> {
  const { report, value: kept } = await runChangeCall(call, changeOf(call));
  const file = report.files[0] as FileChange;
  const details = withoutUndefined<WriteToolDetails>({
    ...describeFile(call, report),
    bytesWritten: report.changed ? file.bytesAfter : 0,
    created: file.kind === "added",
    kept: kept.length === 0 ? undefined : kept,
  });
  const receipt = details.changed ? "committed" : "none";
  return { content: [text(summary(details, file))], details, receipt };
}

const changeOf = ({ params }: WriteCall) =>
  toFileChangeRequest(params.path, (tree) => planWrite(tree, params));

/** Puts the content into the plan, in the form the file has or the project asks for; answers what was kept of it. */
async function planWrite(tree: PlannedTree, params: WriteToolInput): Promise<readonly KeptForm[]> {
  const { path, content, ifMatch, lineEndings = "keep" } = params;
  requireWellFormed("content", content);
  const file = await tree.file(path);
  requireHash(file, ifMatch);
  if (file.before === undefined) {
    const { lineEnding, ...others } = await tree.conventions(file);
    const asked = lineEndings === "keep" && lineEnding !== undefined ? { ...others, lineEnding } : others;
    tree.put(file, applyConventions(withLineEndings(content, lineEndings), asked));
    return [];
  }
  const { bytes: raw, decoded } = file.before;
  // A mark says what the file is in; a guess is not enough to write by.
  const marked = decoded?.guessed === false ? decoded : undefined;
  const { bytes, kept } = adoptForm(content, marked?.text ?? raw, lineEndings);
  tree.put(file, bytes, withoutUndefined({ encoding: marked?.encoding }));
  return marked === undefined ? kept : [...kept, marked.encoding];
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

/** How the lines of written content end: as in the file it replaces, or as asked. */
type LineEndings = "keep" | "lf" | "crlf";

type KeptForm = "crlf" | "bom" | Encoding;

interface AdoptedForm {
  bytes: Buffer;
  /** What was added to the content because the file had it. */
  kept: readonly KeptForm[];
}

/**
 * The bytes of new content for a file that exists. Its byte order mark stays, and where all its lines end
 * in CRLF, bare line feeds become CRLF too: neither is visible to who reads the file as text, so
 * neither may get lost by writing it back. Content that has a mark or any CR of its own is taken as it is.
 */
function adoptForm(content: string, before: Buffer, lineEndings: LineEndings): AdoptedForm {
  const kept: KeptForm[] = [];
  let formed = withLineEndings(content, lineEndings);
  if (
    lineEndings === "keep" &&
    content.includes("\n") &&
    !content.includes("\r") &&
    everyLineEndsInCrlf(before)
  ) {
    formed = content.replaceAll("\n", "\r\n");
    kept.push("crlf");
  }
  const bytes = Buffer.from(formed);
  const bom = bomLength(before);
  if (bom === 0 || bytes.length === 0 || bomLength(bytes) > 0) return { bytes, kept };
  return { bytes: Buffer.concat([before.subarray(0, bom), bytes]), kept: [...kept, "bom"] };
}

/** Content with all its line breaks of one kind; as it is for `keep`. */
function withLineEndings(content: string, lineEndings: LineEndings): string {
  if (lineEndings === "keep") return content;
  return content.replace(/\r\n|\r|\n/g, lineEndings === "lf" ? "\n" : "\r\n");
}

function describeKept(kept: readonly KeptForm[]): string {
  const names = { crlf: "CRLF line ends", bom: "byte order mark" };
  return kept
    .map((form) => (form === "crlf" || form === "bom" ? names[form] : encodingName(form)))
    .join(" and ");
}

function everyLineEndsInCrlf(bytes: Buffer): boolean {
  let at = bytes.indexOf(LF);
  if (at < 0) return false;
  for (; at >= 0; at = bytes.indexOf(LF, at + 1)) if (bytes[at - 1] !== CR) return false;
  return true;
}
