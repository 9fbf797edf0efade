import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { InspectorEvent, Process } from "../../../src/wire/api.ts";
import { bindKeysWhile } from "../../app/key-map.ts";
import { goTo, linkTo, route } from "../../app/routes.ts";
import { onEvent } from "../../client/event-stream.ts";
import { callApi } from "../../client/request.ts";
import { catchUp } from "../../data/catch-up.ts";
import { useResource } from "../../data/resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { lazyComponent } from "../../parts/lazy.tsx";
import { now } from "../../parts/now.ts";
import { escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatDuration } from "../../parts/text/format-values.ts";
import { useFocusRestore } from "../../parts/use-focus-restore.ts";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { words } from "../../strings/frame.ts";
import { processes as texts } from "../../strings/machine.ts";
import { ProcessMark } from "./process-mark.tsx";
import "./processes.css";

const ProcessPane = lazyComponent(async () => (await import("./process-pane.tsx")).ProcessPane);

/** Events omit other programs' commands. */
const AGAIN_MS = 3_000;

export function ProcessesView() {
  const [runId, id] = route.value.path;
  const loaded = useResource(loadProcesses, []);
  useEffect(followProcesses, []);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void loadProcesses().catch(() => {});
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  useEffect(
    () =>
      bindKeysWhile(
        () => route.value.path.length > 0,
        [{ keys: "Escape", label: words.keysBack, run: () => goTo(linkTo("processes")) }],
      ),
    [],
  );
  const all = processes.value;
  const chosen = all.findIndex((each) => each.runId === runId && each.id === id);
  const process = all[chosen];
  useFocusRestore(id ?? "", () =>
    document.querySelector<HTMLElement>(id === undefined ? ".pair-list .list" : ".pair-one"),
  );
  const running = all.filter(({ state }) => state === "running").length;
  return (
    <>
      <header class="head">
        <h2 class="grow">{texts.title(running)}</h2>
      </header>
      <ErrorNotice fault={loaded.error.value} onRetry={loaded.reload} />
      {all.length === 0 && !loaded.loading.value ? (
        <Empty icon="processes" title={texts.none}>
          <p>{texts.noneFix}</p>
        </Empty>
      ) : (
        <div class={`pair${process === undefined ? "" : " with-one"}`}>
          <section class="pair-list" aria-label={words.views.processes}>
            <VirtualList
              id="process"
              label={words.views.processes}
              count={all.length}
              rowHeight={52}
              chosen={chosen}
              onChoose={(index) =>
                goTo(linkTo("processes", [all[index]!.runId, all[index]!.id]), { replace: chosen >= 0 })
              }
              onOpen={() => document.querySelector<HTMLElement>(".pair-one .xterm-helper-textarea")?.focus()}
              row={(index) => <ProcessRow process={all[index]!} />}
            />
          </section>
          <section class="pair-one" aria-label={texts.one} tabIndex={-1}>
            {process === undefined ? (
              <Empty icon="processes" title={texts.choose} />
            ) : (
              <ProcessPane key={`${runId}/${id}`} process={process} />
            )}
          </section>
        </div>
      )}
    </>
  );
}

function ProcessRow({ process }: { process: Process }) {
  const { command, sessionKey, where, state, startedAt, endedAt, pty } = process;
  const until = endedAt ?? (state === "running" ? now.value : undefined);
  return (
    <div class="run grow">
      <div class="run-line">
        <ProcessMark process={process} />
        <b class="mono cut grow">{escapeInvisibleLine(command)}</b>
        <span class="soft small number">
          {until !== undefined && formatDuration(Math.floor((until - startedAt) / 1000) * 1000)}
        </span>
      </div>
      <div class="run-line soft small">
        <span class="cut grow" title={escapeInvisibleLine(sessionKey)}>
          {texts.where(where)}
          {pty && ` · ${texts.pty}`} · <bdi>{escapeInvisibleLine(sessionKey)}</bdi>
        </span>
      </div>
    </div>
  );
}

const processes = signal<readonly Process[]>([]);

function loadProcesses(): Promise<void> {
  return catchUp(
    () => callApi("GET /api/processes"),
    ({ items }) => (processes.value = items),
    hear,
  );
}

function followProcesses(): () => void {
  return onEvent(hear);
}

function hear(event: InspectorEvent): void {
  if (event.type !== "process") return;
  const { process } = event;
  const index = processes.value.findIndex(({ runId, id }) => runId === process.runId && id === process.id);
  processes.value = index < 0 ? [process, ...processes.value] : processes.value.with(index, process);
}
