import { runs } from "../../data/runs.ts";
import { escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatMoment } from "../../parts/text/format-values.ts";
import { ledger as texts } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";

interface RunSelectProps {
  label: string;
  value: string;
  onChange: (runId: string) => void;
  sessionKey?: string | undefined;
}

export function RunSelect({ label, value, onChange, sessionKey }: RunSelectProps) {
  const some = runs.value.filter((run) => sessionKey === undefined || run.sessionKey === sessionKey);
  return (
    <label class="label">
      {label}
      <select class="field" value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">{texts.chooseRun}</option>
        {some.map(({ runId, sessionKey: key, openedAt, calls }) => (
          <option key={runId} value={runId}>
            {escapeInvisibleLine(key)}, {formatMoment(openedAt)}, {words.calls(calls)}
          </option>
        ))}
      </select>
    </label>
  );
}
