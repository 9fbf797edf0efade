import type { ToolsView } from "../../../src/wire/api.ts";
import { Empty } from "../../parts/empty.tsx";
import { visible, visibleLine } from "../../parts/text/visible-text.ts";
import { common } from "../../strings/frame.ts";
import { tools as texts } from "../../strings/rules.ts";

export function MissingList({ view: { missing } }: { view: ToolsView }) {
  if (missing.length === 0) return <Empty icon="tools" title={texts.noneMissing} />;
  return (
    <div class="body" tabIndex={0} role="region" aria-label={texts.missing}>
      <ul class="notes">
        {missing.map(({ id, name, code, reason, fix }) => (
          <li key={id}>
            <p>
              <b class="mono">{visibleLine(name)}</b> <span class="soft small mono">{visibleLine(id)}</span>{" "}
              <code class="small soft">{code}</code>
            </p>
            <p class="text">{visible(reason)}</p>
            {fix !== undefined && (
              <p class="fix text">
                <b>{common.fix}</b> {visible(fix)}
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
