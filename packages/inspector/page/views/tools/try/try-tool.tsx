import type { SessionKind } from "@haft/core";
import type { CallExplanation } from "@haft/core/kernel";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Scratch, ScratchCalled, ToolShown } from "../../../../src/wire/api.ts";
import { ask } from "../../../client/request.ts";
import { faultOf } from "../../../data/resource.ts";
import { Button } from "../../../parts/button.tsx";
import { FaultNotice } from "../../../parts/fault-notice.tsx";
import { visible, visibleLine } from "../../../parts/text/visible-text.ts";
import { TraceView } from "../../../parts/trace.tsx";
import { tools as texts } from "../../../strings/rules.ts";
import { CalledResult } from "./called-result.tsx";
import { SchemaForm } from "./schema-form.tsx";

export function TryTool({ tool, kind }: { tool: ToolShown; kind: SessionKind }) {
  const args = useSignal<Record<string, unknown>>({});
  const scratch = useRef<Scratch | undefined>(undefined);
  const called = useSignal<ScratchCalled | undefined>(undefined);
  const explained = useSignal<CallExplanation | undefined>(undefined);
  const fault = useSignal<ReturnType<typeof faultOf> | undefined>(undefined);
  const busy = useSignal(false);
  useEffect(
    () => () => {
      if (scratch.current !== undefined)
        void ask("DELETE /api/scratch/:id", { path: { id: scratch.current.id } }).catch(() => undefined);
    },
    [],
  );
  const doing = async (work: () => Promise<void>) => {
    busy.value = true;
    fault.value = undefined;
    try {
      await work();
    } catch (thrown) {
      fault.value = faultOf(thrown);
    }
    busy.value = false;
  };
  const explain = () =>
    doing(async () => {
      called.value = undefined;
      explained.value = await ask("POST /api/explain", { body: { kind, tool: tool.name, args: args.value } });
    });
  const call = () =>
    doing(async () => {
      explained.value = undefined;
      scratch.current ??= await ask("POST /api/scratch", { body: { kind } });
      const body = { tool: tool.name, args: args.value };
      called.value = await ask("POST /api/scratch/:id/call", { path: { id: scratch.current.id }, body });
    });
  const decide = (allow: boolean) =>
    doing(async () => {
      const body = { approvalId: called.value!.approval!.approvalId, allow };
      called.value = await ask("POST /api/scratch/:id/allow", { path: { id: scratch.current!.id }, body });
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
            : visibleLine(texts.inFolder(scratch.current.folder))}
        </span>
      </p>
      <FaultNotice fault={fault.value} />
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
      <p class="soft small">{visible(texts.verdicts[verdict])}</p>
      <TraceView explained={{ effect, reason, ...(fix === undefined ? {} : { fix }), trace }} />
    </>
  );
}
