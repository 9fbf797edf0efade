import { useRef } from "preact/hooks";
import type { MatrixLine } from "../../../src/wire/api.ts";
import { goTo, linkTo, route } from "../../app/routes.ts";
import { CellMark } from "../../parts/cell-mark.tsx";
import { escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { common, words } from "../../strings/frame.ts";
import { policy as texts } from "../../strings/rules.ts";

const KINDS = ["main", "group", "sandboxed"] as const;

interface MatrixProps {
  lines: readonly MatrixLine[];
  chosen: { kind: string; tool: string } | undefined;
}

export function Matrix({ lines, chosen }: MatrixProps) {
  const table = useRef<HTMLTableElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const cell = (event.target as HTMLElement).closest("td");
    if (step === undefined || cell === null) return;
    event.preventDefault();
    const row = cell.parentElement as HTMLTableRowElement;
    const next = table.current!.rows[row.rowIndex + step[0]]?.cells[cell.cellIndex + step[1]];
    next?.querySelector("a")?.focus();
  };
  const query = { agent: route.value.query.get("agent") ?? "" };
  return (
    <div class="body matrix-body">
      <table class="matrix" ref={table} onKeyDown={onKeyDown}>
        <caption class="unseen">{texts.matrixCaption}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.tool}</th>
            {KINDS.map((kind) => (
              <th key={kind} scope="col">
                {words.kind[kind]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, toolId, cells }) => (
            <tr key={toolId}>
              <th scope="row" class="mono" title={toolId}>
                {escapeInvisibleLine(name)}
              </th>
              {KINDS.map((kind) => (
                <td key={kind}>
                  <a
                    class={`cell ${cells[kind].toOthers ?? cells[kind].word}`}
                    href={linkTo("policy", ["cell", kind, toolId], query)}
                    aria-current={chosen?.kind === kind && chosen.tool === toolId ? "true" : undefined}
                    onClick={(event) => {
                      event.preventDefault();
                      goTo(linkTo("policy", ["cell", kind, toolId], query), {
                        replace: chosen !== undefined,
                      });
                    }}
                    title={cells[kind].reason}
                  >
                    <CellMark cell={cells[kind]} bare />
                    {cells[kind].contained !== undefined && <span class="soft small">{texts.contained}</span>}
                  </a>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="legend soft small">
        {(["allow", "ask", "grant", "deny"] as const).map((word) => (
          <li key={word}>
            <CellMark cell={{ word }} bare /> {common.word[word]}
          </li>
        ))}
        <li>{texts.someLegend}</li>
      </ul>
    </div>
  );
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};
