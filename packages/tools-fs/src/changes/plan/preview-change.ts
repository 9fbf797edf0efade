import {
  type CallPlan,
  type ContentBlock,
  HaftError,
  isPromptComplete,
  getErrorMessage,
  promptText,
  text,
} from "@haft/plugin-sdk";
import { withoutUndefined } from "@haft/utils";
import { pathRefusal } from "../../paths/planned-paths.ts";
import type { ChangeEngine, ChangeRequest } from "./change-contract.ts";
import type { FileChange } from "./change-report.ts";

const MAX_DIFF = 12_000;
const MAX_FILES = 100;

/** Returns files and diff. A failing change shows its error, with the code as `failure`. A change that the boundary forbids is refused. */
export async function previewChange<Value>(
  engine: ChangeEngine,
  request: ChangeRequest<Value>,
): Promise<Pick<CallPlan, "preview" | "refused" | "noAlways"> & { failure?: string }> {
  try {
    const { report } = await engine.change({ ...request, dryRun: true });
    return describe(report.files);
  } catch (thrown) {
    if (request.signal?.aborted === true) throw thrown;
    const refused = pathRefusal(thrown);
    return withoutUndefined({ preview: previewFailure(thrown), refused, failure: codeOf(thrown) });
  }
}

const codeOf = (thrown: unknown): string => (HaftError.is(thrown) ? thrown.code : "unknown");

export function previewFailure(thrown: unknown): readonly ContentBlock[] {
  if (!HaftError.is(thrown)) throw thrown;
  return [text(promptText(`This currently fails: ${getErrorMessage(thrown)}`))];
}

function describe(files: readonly FileChange[]): Pick<CallPlan, "preview" | "noAlways"> {
  const named = files.slice(0, MAX_FILES).map(headline);
  if (files.length > MAX_FILES) named.push(`… and ${files.length - MAX_FILES} more files`);
  const diffs = files.flatMap(({ diff }) => (diff === undefined ? [] : [diff])).join("\n");
  const shown = cut(diffs);
  const heads = promptText(named.join("\n"));
  const isWhole =
    shown === diffs.trimEnd() &&
    files.length <= MAX_FILES &&
    files.every(({ diffOmitted }) => diffOmitted === undefined) &&
    [named.join("\n"), shown].every(isPromptComplete);
  return withoutUndefined({
    preview: [text(diffs === "" ? heads : `${heads}\n${fenced(promptText(shown))}`)],
    noAlways: isWhole ? undefined : "not all of the change is shown",
  });
}

function headline({ kind, path, from, added, removed, bytesAfter, diffOmitted }: FileChange): string {
  const lines = diffOmitted === undefined ? `+${added} -${removed}` : `${bytesAfter} bytes, ${diffOmitted}`;
  return {
    added: `Create ${path} (${lines})`,
    deleted: `Delete ${path} (${lines})`,
    moved: `Move ${from} to ${path} (${lines})`,
    modified: `Change ${path} (${lines})`,
    unchanged: `Leave ${path} unchanged`,
  }[kind];
}

function cut(diff: string): string {
  if (diff.length <= MAX_DIFF) return diff.trimEnd();
  const end = diff.lastIndexOf("\n", 0.75 * MAX_DIFF);
  const head = diff.slice(0, end > 0 ? end : 0.75 * MAX_DIFF);
  const start = diff.indexOf("\n", diff.length - 0.25 * MAX_DIFF);
  const tail = diff.slice(start > 0 && start < diff.length - 1 ? start + 1 : -0.25 * MAX_DIFF).trimEnd();
  const lines = diff.slice(head.length, -tail.length).trim().split("\n").length;
  return `${head.toWellFormed()}\n… ${lines} more lines of changes that are not shown …\n${tail.toWellFormed()}`;
}

function fenced(body: string): string {
  const longest = Math.max(2, ...(body.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}diff\n${body}\n${fence}`;
}
