import { type CallPlan, text, type ToolResult, withoutUndefined } from "@haft/plugin-sdk";
import {
  type ChangeCall,
  changeOfFile,
  describeFile,
  planChangeCall,
  runChangeCall,
} from "../changes/change-call.ts";
import type { FileChange } from "../changes/plan/change-report.ts";
import { planWrite, summary } from "./plan-write.ts";
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
