import type { SessionKind } from "@haft/core";
import type { CallExplanation } from "@haft/core/kernel";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Playground, PlaygroundCallResult, ToolView } from "../../../../src/wire/api.ts";
import { callApi } from "../../../client/request.ts";
import { toApiError } from "../../../data/resource.ts";
import { Button } from "../../../parts/button.tsx";
import { ErrorNotice } from "../../../parts/error-notice.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../../parts/text/escape-invisible.ts";
import { TraceView } from "../../../parts/trace.tsx";
import { tools as texts } from "../../../strings/rules.ts";
import { CalledResult } from "./called-result.tsx";
import { SchemaForm } from "./schema-form.tsx";

export function TryTool({ tool, kind }: { tool: ToolView; kind: SessionKind }) {
  const args = useSignal<Record<string, unknown>>({});
  const scratch = useRef<Playground | undefined>(undefined);
  const called = useSignal<PlaygroundCallResult | undefined>(undefined);
  const explained = useSignal<CallExplanation | undefined>(undefined);
  const fault = useSignal<ReturnType<typeof toApiError> | undefined>(undefined);
  const busy = useSignal(false);
  useEffect(
    () => () => {
      if (scratch.current !== undefined)
        void callApi("DELETE /api/scratch/:id", { path: { id: scratch.current.id } }).catch(() => undefined);
    },
    [],
  );
  const doing = async (work: () => Promise<void>) => {
    busy.value = true;
    fault.value = undefined;
    try {
      await work();
    } catch (thrown) {
      fault.value = toApiError(thrown);
    }
    busy.value = false;
  };
  const explain = () =>
    doing(async () => {
      called.value = undefined;
      explained.value = await callApi("POST /api/explain", {
        body: { kind, tool: tool.name, args: args.value },
      });
    });
  const call = () =>
    doing(async () => {
      explained.value = undefined;
      scratch.current ??= await callApi("POST /api/scratch", { body: { kind } });
      const body = { tool: tool.name, args: args.value };
      called.value = await callApi("POST /api/scratch/:id/call", { path: { id: scratch.current.id }, body });
    });
  const decide = (allow: boolean) =>
    doing(async () => {
      const body = { approvalId: called.value!.approval!.approvalId, allow };
      called.value = await callApi("POST /api/scratch/:id/allow", {
        path: { id: scratch.current!.id },
        body,
      });
    });
  return (
    <form
      class="try"
      onSubmit={(event) => {
        event.preventDefault();
        void call();
      }}
    >
      <SchemaForm schema={tool.parameters} value={args.value} onChange={(next) => (args.value = next)} />
      <p class="actions">
        <Button type="submit" look="main" acts text={texts.call} disabled={busy.value} />
        <Button text={texts.explain} disabled={busy.value} onClick={() => void explain()} />
        <span class="soft small">
          {scratch.current === undefined
            ? texts.scratch
            : escapeInvisibleLine(texts.inFolder(scratch.current.folder))}
        </span>
      </p>
      <ErrorNotice fault={fault.value} />
      <div aria-live="polite">
        {explained.value !== undefined && <Explanation explained={explained.value} />}
        {called.value !== undefined && (
          <CalledResult called={called.value} onDecide={(allow) => void decide(allow)} isBusy={busy.value} />
        )}
      </div>
    </form>
  );
}

function Explanation({ explained }: { explained: CallExplanation }) {
  const { verdict, reason, fix, trace } = explained;
  const effect = verdict === "runs" ? "allow" : verdict === "asks" ? "ask" : "deny";
  return (
    <>
      <p class="soft small">{escapeInvisible(texts.verdicts[verdict])}</p>
      <TraceView explained={{ effect, reason, ...(fix === undefined ? {} : { fix }), trace }} />
    </>
  );
}
