import { useSignal } from "@preact/signals";
import type { Process } from "../../../src/wire/api.ts";
import { linkTo } from "../../app/routes.ts";
import { callApi } from "../../client/request.ts";
import { mayAct } from "../../data/about.ts";
import { toApiError } from "../../data/resource.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { Icon } from "../../parts/icon.tsx";
import { AttachedTerminal } from "../../parts/terminal/attached-terminal.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatBytes, formatMoment } from "../../parts/text/format-values.ts";
import { words } from "../../strings/frame.ts";
import { processes as texts } from "../../strings/machine.ts";
import { ProcessMark } from "./process-mark.tsx";

export function ProcessPane({ process }: { process: Process }) {
  const {
    runId,
    id,
    pid,
    command,
    cwd,
    state,
    startedAt,
    output,
    stdin,
    live,
    where,
    outside,
    forward,
    unknown,
  } = process;
  const trouble = useSignal("");
  const asking = useSignal(false);
  const fault = useSignal<ReturnType<typeof toApiError> | undefined>(undefined);
  const canType = live && mayAct.value && state === "running" && stdin === "open";
  const kill = async () => {
    asking.value = false;
    try {
      const { kind, content, code } = await callApi("POST /api/runs/:run/processes/:id/kill", {
        path: { run: runId, id },
        body: {},
      });
      const textBlock = content.find((block) => block.type === "text");
      trouble.value = kind === "ok" ? "" : (textBlock?.text ?? code ?? kind);
      fault.value = undefined;
    } catch (thrown) {
      fault.value = toApiError(thrown);
    }
  };
  return (
    <>
      <header class="head call-head">
        <a class="button plain small up" href={linkTo("processes")} aria-label={words.back}>
          <Icon name="back" />
        </a>
        <ProcessMark process={process} />
        <h2 class="grow cut mono">{escapeInvisibleLine(command)}</h2>
        {state === "running" && live && (
          <Button look="small bad" acts icon="stop" text={texts.kill} onClick={() => (asking.value = true)} />
        )}
      </header>
      <div class="process-body">
        <p class="soft small text">
          {texts.pid(pid)} · {texts.where(where)}
          {outside && ` · ${texts.outside}`} · {escapeInvisibleLine(cwd)} ·{" "}
          {texts.since(formatMoment(startedAt))}
          {(live || state === "exited") && ` · ${texts.written(formatBytes(output.total))}`}
          {forward !== undefined && ` · ${texts.forward(forward.port, forward.hostPort)}`}
        </p>
        <ErrorNotice fault={fault.value} />
        {trouble.value !== "" && (
          <p class="notice warning text" role="alert">
            {escapeInvisible(trouble.value)}
          </p>
        )}
        {live ? (
          <AttachedTerminal
            process={process}
            canType={canType}
            onTrouble={(message) => (trouble.value = message)}
            onLeave={() => document.querySelector<HTMLElement>(".pair-list .list")?.focus()}
          />
        ) : (
          <p class="soft">{escapeInvisible(texts.notHere(unknown))}</p>
        )}
        {live && (
          <p class="soft small">
            {canType
              ? process.pty
                ? texts.typePty
                : texts.typePipe
              : state === "running"
                ? texts.onlyLook
                : texts.over}
          </p>
        )}
      </div>
      {asking.value && (
        <Dialog
          title={texts.killTitle}
          onClose={() => (asking.value = false)}
          actions={
            <>
              <Button text={words.close} onClick={() => (asking.value = false)} />
              <Button look="bad" text={texts.kill} onClick={() => void kill()} />
            </>
          }
        >
          <p class="text">
            <code>{escapeInvisibleLine(command)}</code>
          </p>
          <p class="soft small">{texts.killMeans}</p>
        </Dialog>
      )}
    </>
  );
}
