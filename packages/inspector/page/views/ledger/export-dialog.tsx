import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { send } from "../../client/request.ts";
import { toApiError, useResource } from "../../data/resource.ts";
import { loadRuns } from "../../data/runs.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { ledger as texts } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";
import { RunSelect } from "./run-select.tsx";
import { askSaveTarget, saveResponse } from "./save-response.ts";

const MIB = 1024 * 1024;

export function ExportDialogButton() {
  const open = useSignal(false);
  return (
    <>
      <Button look="small" icon="save" text={texts.export} onClick={() => (open.value = true)} />
      {open.value && <ExportDialog onClose={() => (open.value = false)} />}
    </>
  );
}

function ExportDialog({ onClose }: { onClose: () => void }) {
  useResource(loadRuns, []);
  const run = useSignal("");
  const format = useSignal<"html" | "json" | "jsonl">("html");
  const fault = useSignal<ReturnType<typeof toApiError> | undefined>(undefined);
  const came = useSignal<number | undefined>(undefined);
  const ending = useMemo(() => new AbortController(), []);
  useEffect(() => () => ending.abort(), []);
  const save = async () => {
    const { signal } = ending;
    let isComing = false;
    fault.value = undefined;
    try {
      const name = `haft-${run.value}.${format.value}`;
      const where = await askSaveTarget(name);
      if (where === "no") return;
      came.value = 0;
      const search = new URLSearchParams({ run: run.value, format: format.value });
      const response = await send(`./api/ledger/export?${search}`, { signal });
      isComing = true;
      await saveResponse(response, { name, where, onBytes: (bytes) => (came.value = bytes) });
      onClose();
    } catch (thrown) {
      const what = toApiError(thrown);
      if (!signal.aborted)
        fault.value = isComing ? { ...what, code: "EXPORT_CUT", message: texts.cut(what.message) } : what;
    }
    came.value = undefined;
  };
  return (
    <Dialog
      title={texts.exportTitle}
      onClose={onClose}
      actions={
        <>
          <Button text={words.close} onClick={onClose} />
          <Button
            look="main"
            text={texts.save}
            disabled={run.value === "" || came.value !== undefined}
            onClick={() => void save()}
          />
        </>
      }
    >
      <ErrorNotice fault={fault.value} />
      <RunSelect label={texts.run} value={run.value} onChange={(value) => (run.value = value)} />
      <label class="label">
        {texts.format}
        <select
          class="field"
          value={format.value}
          onChange={({ currentTarget }) => (format.value = currentTarget.value as "html")}
        >
          {(["html", "json", "jsonl"] as const).map((each) => (
            <option key={each} value={each}>
              {texts.formats[each]}
            </option>
          ))}
        </select>
      </label>
      <p class="soft small">{texts.exportNote}</p>
      {came.value !== undefined && <p class="small">{texts.came((came.value / MIB).toFixed(1))}</p>}
    </Dialog>
  );
}
