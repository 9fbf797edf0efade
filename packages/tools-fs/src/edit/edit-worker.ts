import { HaftError } from "@haft/plugin-sdk";
import { answerJobs } from "../scheduling/worker-thread.ts";
import type { EditRequest } from "./edit-request.ts";
import { type PlannedEdits, planEdits } from "./plan-edits.ts";

export interface EditJob {
  path: string;
  bytes: Uint8Array;
  edits: readonly EditRequest[];
  made: readonly boolean[];
}

export type EditAnswer =
  | { planned: PlannedEdits }
  | { refused: Pick<HaftError, "code" | "message" | "category" | "fix" | "details" | "receipt"> };

answerJobs(({ path, bytes, edits, made }: EditJob): EditAnswer => {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const wasMade = (edit: EditRequest): boolean => made[edits.indexOf(edit)] === true;
  try {
    return { planned: planEdits(path, content, edits, wasMade) };
  } catch (thrown) {
    if (!HaftError.is(thrown)) throw thrown;
    const { code, message, category, fix, details, receipt } = thrown;
    return { refused: { code, message, category, fix, details, receipt } };
  }
});
