import { type CallPlan, text, type ToolResult, withoutUndefined } from "@haft/plugin-sdk";
import type { ChangeCall } from "../changes/change-call.ts";
import { changeOfFile, describeFile, planChangeCall, runChangeCall } from "../changes/change-call.ts";
import type { FileChange } from "../changes/plan/change-report.ts";
import type { PlannedTree } from "../changes/plan/planned-tree.ts";
import { requireHash } from "../changes/plan/preconditions.ts";
import { adoptForm, describeKept, type KeptForm, withLineEndings } from "../changes/text/adopt-form.ts";
import { applyConventions } from "../changes/text/conventions.ts";
import { requireWellFormed } from "../changes/text/file-text.ts";
import type { WriteToolDetails, WriteToolInput } from "./write-schema.ts";

type WriteCall = ChangeCall<WriteToolInput>;

/** The file a call is about, and how it would change. */
export function plan(call: WriteCall): Promise<CallPlan> {
  return planChangeCall(call, changeOf(call));
}

/** One file, whole content, atomically. */
export async function run(call: WriteCall): Promise<ToolResult<WriteToolDetails>> {
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

const changeOf = ({ params }: WriteCall) => changeOfFile(params.path, (tree) => planWrite(tree, params));

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
  const { bytes, kept } = adoptForm(content, file.before.bytes, lineEndings);
  tree.put(file, bytes);
  return kept;
}

/** What was done, in one sentence. */
function summary({ path, changed, bytesWritten, kept = [] }: WriteToolDetails, file: FileChange): string {
  const form = describeKept(kept);
  if (changed) {
    const done = `Successfully wrote ${bytesWritten} bytes to ${path}`;
    return form === "" ? done : `${done}. The file kept its ${form}.`;
  }
  const same = form === "" ? "exactly this content" : `this content (with ${form})`;
  return `${path} already has ${same} (${file.bytesAfter} bytes); nothing was written.`;
}
