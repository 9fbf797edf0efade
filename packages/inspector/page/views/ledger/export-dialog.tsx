import { useSignal } from "@preact/signals";
import { send } from "../../client/request.ts";
import { faultOf, useResource } from "../../data/resource.ts";
import { loadRuns } from "../../data/runs.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { FaultNotice } from "../../parts/fault-notice.tsx";
import { Icon } from "../../parts/icon.tsx";
import { ledger as texts, words } from "../../strings.ts";
import { RunSelect } from "./run-select.tsx";

/** Opens what takes a run away as a file. */
export function ExportDialogButton() {
  const open = useSignal(false);
  return (
    <>
      <button type="button" class="button small" onClick={() => (open.value = true)}>
        <Icon name="save" />
        {texts.export}
      </button>
      {open.value && <ExportDialog onClose={() => (open.value = false)} />}
    </>
  );
}

function ExportDialog({ onClose }: { onClose: () => void }) {
  useResource(loadRuns, []);
  const run = useSignal("");
  const format = useSignal<"html" | "json" | "jsonl">("html");
  const fault = useSignal<ReturnType<typeof faultOf> | undefined>(undefined);
  const save = async () => {
    try {
      const search = new URLSearchParams({ run: run.value, format: format.value });
      const response = await send(`./api/ledger/export?${search}`);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await response.blob());
      link.download = `haft-${run.value}.${format.value}`;
      link.click();
      URL.revokeObjectURL(link.href);
      onClose();
    } catch (thrown) {
      fault.value = faultOf(thrown);
    }
  };
  return (
    <Dialog
      title={texts.exportTitle}
      onClose={onClose}
      actions={
        <>
          <button type="button" class="button" onClick={onClose}>
            {words.close}
          </button>
          <button type="button" class="button main" disabled={run.value === ""} onClick={() => void save()}>
            {texts.save}
          </button>
        </>
      }
    >
      <FaultNotice fault={fault.value} />
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
    </Dialog>
  );
}
