import type { PolicyTried } from "../../../../src/wire/api.ts";
import { CellMark } from "../../../parts/cell-mark.tsx";
import { visible, visibleLine } from "../../../parts/text/visible-text.ts";
import { words } from "../../../strings/frame.ts";
import { policy as texts } from "../../../strings/rules.ts";

export function ChangedCells({ tried, isOther }: { tried: PolicyTried | undefined; isOther: boolean }) {
  const changed = tried?.changed ?? [];
  return (
    <section>
      <h2>{texts.cells(changed.length)}</h2>
      {changed.length === 0 && <p class="soft small">{isOther ? texts.noCells : texts.editToSee}</p>}
      <ul class="changed-cells">
        {changed.map(({ toolId, name, kind, before, after }) => (
          <li key={`${toolId} ${kind}`} title={visible(after?.reason ?? "")}>
            <span class="mono cut">{visibleLine(name)}</span>
            <span class="soft">{words.kind[kind]}</span>
            <span class="from-to">
              {before === undefined ? "–" : <CellMark cell={before} bare />}
              <span aria-hidden="true">→</span>
              <span class="unseen">{texts.becomes}</span>
              {after === undefined ? "–" : <CellMark cell={after} />}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
