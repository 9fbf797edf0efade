import { linkTo } from "../../app/routes.ts";
import { callApi } from "../../client/request.ts";
import { useResource } from "../../data/resource.ts";
import { CellMark } from "../../parts/cell-mark.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Icon } from "../../parts/icon.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { TraceView } from "../../parts/trace.tsx";
import { words } from "../../strings/frame.ts";
import { policy as texts } from "../../strings/rules.ts";

export function CellPane({ kind, tool, agent }: { kind: string; tool: string; agent: string }) {
  const cell = useResource(
    (ending) =>
      callApi("GET /api/policy/cell", {
        query: { kind, tool, ...(agent === "" ? {} : { agent }) },
        signal: ending,
      }),
    [kind, tool, agent],
  );
  const found = cell.value.value;
  return (
    <section class="cell-pane" aria-label={`${tool}, ${kind}`}>
      <header class="head">
        <h2 class="grow cut">
          <span class="mono">{escapeInvisibleLine(tool)}</span>{" "}
          <span class="soft">{texts.inSession(kind)}</span>
        </h2>
        <a
          class="button plain small"
          href={linkTo("policy", [], { agent })}
          aria-label={words.close}
          title={words.close}
        >
          <Icon name="close" />
        </a>
      </header>
      <div class="body call-body" tabIndex={0} role="region" aria-label={texts.behindCell}>
        <ErrorNotice fault={cell.error.value} onRetry={cell.reload} />
        {found === undefined ? (
          cell.loading.value && <p class="soft">{words.loading}</p>
        ) : (
          <>
            <p class="why">
              <CellMark cell={found.cell} />
              {found.cell.contained !== undefined && (
                <span class="soft text">
                  {texts.contained}: {escapeInvisible(found.cell.contained)}
                </span>
              )}
            </p>
            <TraceView explained={found} />
          </>
        )}
      </div>
    </section>
  );
}
