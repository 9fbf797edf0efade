import { useSignal } from "@preact/signals";
import type { CallDetail, UndoReport } from "../../../src/wire/api.ts";
import { callApi } from "../../client/request.ts";
import { toApiError, useResource } from "../../data/resource.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { undo as texts } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";

export function UndoDialog({ call, onClose }: { call: CallDetail; onClose: () => void }) {
  const { runId, toolCallId } = call;
  const plan = useResource(
    (signal) => callApi("POST /api/undo", { body: { runId, toolCallId, dryRun: true }, signal }),
    [runId, toolCallId],
  );
  const done = useSignal<UndoReport | undefined>(undefined);
  const fault = useSignal<ReturnType<typeof toApiError> | undefined>(undefined);
  const busy = useSignal(false);
  const report = done.value ?? plan.value.value;
  const go = async (skipConflicts: boolean) => {
    busy.value = true;
    try {
      done.value = await callApi("POST /api/undo", { body: { runId, toolCallId, skipConflicts } });
      fault.value = undefined;
    } catch (thrown) {
      fault.value = toApiError(thrown);
    }
    busy.value = false;
  };
  const hasConflicts = (report?.conflicts.length ?? 0) > 0;
  const canGo =
    report !== undefined && report.files.length > 0 && (done.value === undefined || done.value.refused);
  return (
    <Dialog
      title={texts.title(escapeInvisibleLine(toolCallId))}
      onClose={onClose}
      actions={
        <>
          <Button text={words.close} onClick={onClose} />
          {canGo && (
            <Button
              look="main"
              acts
              text={hasConflicts ? texts.goRest : texts.go}
              disabled={busy.value}
              onClick={() => void go(hasConflicts)}
            />
          )}
        </>
      }
    >
      <ErrorNotice fault={fault.value ?? plan.error.value} />
      {report === undefined ? (
        plan.loading.value && <p class="soft">{words.loading}</p>
      ) : (
        <Report report={report} />
      )}
    </Dialog>
  );
}

function Report({ report }: { report: UndoReport }) {
  const { files, conflicts, notUndone, dryRun, refused } = report;
  const isDone = !dryRun && !refused;
  return (
    <div class="undo" role="status">
      <p>
        {files.length === 0 ? texts.nothing : isDone ? texts.done(files.length) : texts.files(files.length)}
      </p>
      <ul class="undo-files">
        {files.map(({ path, kind, from, added, removed }) => (
          <li key={path}>
            <span class="soft small">{kind}</span>
            <code>{escapeInvisibleLine(from === undefined ? path : `${from} → ${path}`)}</code>
            <span class="number small">
              <b class="plus">+{added}</b> <b class="minus">−{removed}</b>
            </span>
          </li>
        ))}
      </ul>
      {conflicts.length > 0 && (
        <div class="notice warning">
          <div>
            <p>{texts.conflicts}</p>
            <ul>
              {conflicts.map(({ path, why }) => (
                <li key={path}>
                  <code>{escapeInvisibleLine(path)}</code>: {escapeInvisible(why)}
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
      {notUndone.length > 0 && (
        <>
          <h3>{texts.notUndone}</h3>
          <ul class="small">
            {notUndone.map(({ toolCallId, toolName, what, why }) => (
              <li key={toolCallId}>
                <code>{escapeInvisibleLine([toolCallId, toolName, what ?? ""].join(" "))}</code>:{" "}
                {escapeInvisible(why)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
