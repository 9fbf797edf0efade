import { HaftError } from "@haft/plugin-sdk";
import { answerJobs } from "../scheduling/answer-jobs.ts";
import type { EditRequest } from "./edit-request.ts";
import { type PlannedEdits, planEdits } from "./plan-edits.ts";

/** The edits of one call, as they are sent to another thread. */
export interface EditJob {
  path: string;
  bytes: Uint8Array;
  edits: readonly EditRequest[];
  /** For each edit whether it was made in this file before. */
  made: readonly boolean[];
}

/** What comes of them: a plan, or the error that refuses them. */
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
