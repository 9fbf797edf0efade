import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PolicyFileText, PolicyTried, PolicyView } from "../../../../src/wire/api.ts";
import { goTo, linkTo, route } from "../../../app/routes.ts";
import { ask } from "../../../client/request.ts";
import { mayAct } from "../../../data/about.ts";
import { faultOf, useResource } from "../../../data/resource.ts";
import { Empty } from "../../../parts/empty.tsx";
import { FaultNotice } from "../../../parts/fault-notice.tsx";
import { visible, visibleLine } from "../../../parts/text/visible-text.ts";
import { policy as texts, words } from "../../../strings.ts";
import { ChangedCells } from "./changed-cells.tsx";
import { PastCalls } from "./past-calls.tsx";
import { TextEditor } from "./text-editor.tsx";
import "./what-if.css";

/** What is typed is tried when nothing was typed for so long. */
const TYPING_MS = 250;

/** A file of rules, and what it would change: cells, and decisions about past calls; saved only when somebody says so. */
export function PolicyEditor({ view, agent }: { view: PolicyView; agent: string }) {
  const wanted = route.value.query.get("file");
  const file =
    view.files.find(({ id }) => id === wanted) ??
    view.files.find(({ editable }) => editable) ??
    view.files[0];
  if (file === undefined) return <Empty icon="policy" title={texts.noFiles} />;
  return (
    <div class="editor">
      <div class="editor-files">
        <label class="tick">
          <span class="soft small">{texts.file}</span>
          <select
            class="field grow"
            value={file.id}
            onChange={({ currentTarget: { value } }) => goTo(linkTo("policy", ["edit"], { file: value }))}
          >
            {view.files.map(({ id, path, owner }) => (
              <option key={id} value={id}>
                {visibleLine(path)} ({texts.owner[owner]})
              </option>
            ))}
          </select>
        </label>
      </div>
      <OneFile key={file.id} id={file.id} agent={agent} />
    </div>
  );
}

function OneFile({ id, agent }: { id: string; agent: string }) {
  const file = useResource((ending) => ask("GET /api/policy/file", { query: { id }, signal: ending }), [id]);
  const found = file.value.value;
  if (found === undefined)
    return file.fault.value === undefined ? (
      <p class="loading soft">{words.loading}</p>
    ) : (
      <FaultNotice fault={file.fault.value} onRetry={file.reload} />
    );
  return <Editing key={found.sha256} file={found} agent={agent} onReload={file.reload} />;
}

function Editing({ file, agent, onReload }: { file: PolicyFileText; agent: string; onReload: () => void }) {
  const text = useSignal(file.text);
  const tried = useSignal<PolicyTried | undefined>(undefined);
  const fault = useSignal<ReturnType<typeof faultOf> | undefined>(undefined);
  const said = useSignal("");
  const timer = useRef(0);
  const trial = useRef(new AbortController());
  const edit = () => ({ id: file.id, text: text.value, ...(agent === "" ? {} : { agent }) });
  const attempt = async () => {
    trial.current.abort();
    const { signal: ending } = (trial.current = new AbortController());
    try {
      tried.value = await ask("POST /api/policy/try", { body: edit(), signal: ending });
      fault.value = undefined;
    } catch (thrown) {
      if (!ending.aborted) fault.value = faultOf(thrown);
    }
  };
  useEffect(() => {
    void attempt();
    return () => {
      clearTimeout(timer.current);
      trial.current.abort();
    };
  }, []);
  const type = (next: string) => {
    text.value = next;
    said.value = "";
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void attempt(), TYPING_MS);
  };
  const save = async () => {
    try {
      const body = { id: file.id, text: text.value, sha256: file.sha256 };
      const { inForce, problems } = await ask("PUT /api/policy/file", { body });
      said.value = inForce ? texts.savedInForce : texts.saved;
      fault.value = undefined;
      if (problems.length > 0) said.value = `${texts.saved} ${problems.join(" ")}`;
      onReload();
    } catch (thrown) {
      fault.value = faultOf(thrown);
    }
  };
  const lint = tried.value?.lint ?? [];
  const hasErrors = lint.some(({ severity }) => severity === "error");
  const isOther = text.value !== file.text;
  return (
    <>
      <div class="editor-text">
        <FaultNotice
          fault={fault.value}
          {...(fault.value?.code === "POLICY_FILE_CHANGED" ? { onRetry: onReload } : {})}
        />
        {!file.editable && <p class="notice quiet text">{visible(file.why ?? texts.notEditable)}</p>}
        <TextEditor
          text={text.value}
          label={visibleLine(file.path)}
          readOnly={!file.editable}
          lint={lint}
          line={Number(route.value.query.get("line") ?? 0)}
          onInput={type}
          onSave={() => void save()}
        />
        <p class="editor-actions">
          <button
            type="button"
            class="button main"
            disabled={!isOther || hasErrors || !file.editable || !mayAct.value}
            title={mayAct.value ? undefined : words.roleLook}
            onClick={() => void save()}
          >
            {texts.save}
          </button>
          <button type="button" class="button" disabled={!isOther} onClick={() => type(file.text)}>
            {texts.revert}
          </button>
          <span role="status" class="soft small text">
            {said.value === ""
              ? hasErrors
                ? texts.hasErrors
                : isOther
                  ? texts.notSaved
                  : ""
              : visible(said.value)}
          </span>
        </p>
      </div>
      <div class="editor-effects" tabIndex={0} role="region" aria-label={texts.wouldChange}>
        {hasErrors ? (
          <p class="soft">{texts.hasErrors}</p>
        ) : (
          <>
            <ChangedCells tried={tried.value} isOther={isOther} />
            <PastCalls edit={edit()} isOther={isOther} />
          </>
        )}
      </div>
    </>
  );
}
