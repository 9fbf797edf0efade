import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { PolicyFileText, PolicyEditPreview } from "../../../../src/wire/api.ts";
import { route } from "../../../app/routes.ts";
import { callApi } from "../../../client/request.ts";
import { mayAct } from "../../../data/about.ts";
import { drafts, dropDraft, saveDraft } from "../../../data/drafts.ts";
import { toApiError } from "../../../data/resource.ts";
import { Button } from "../../../parts/button.tsx";
import { CellMark } from "../../../parts/cell-mark.tsx";
import { ErrorNotice } from "../../../parts/error-notice.tsx";
import { lazyComponent } from "../../../parts/lazy.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../../parts/text/escape-invisible.ts";
import { words } from "../../../strings/frame.ts";
import { policy as texts } from "../../../strings/rules.ts";
import { PastCalls } from "./past-calls.tsx";
import { TextEditor } from "./text-editor.tsx";

const ChangedOnDisk = lazyComponent(async () => (await import("./changed-on-disk.tsx")).ChangedOnDisk);

const TYPING_MS = 250;

interface EditedFileProps {
  file: PolicyFileText;
  agent: string;
  onReload: () => void;
  onSaved: (file: PolicyFileText) => void;
}

/** Text stays a draft until saved or discarded. */
export function EditedFile({ file, agent, onReload, onSaved }: EditedFileProps) {
  const { id, path, sha256 } = file;
  const draft = drafts.value[id];
  const text = draft?.text ?? file.text;
  const isOther = text !== file.text;
  const isChanged = isOther && draft?.sha256 !== sha256;
  const fault = useSignal<ReturnType<typeof toApiError> | undefined>(undefined);
  const message = useSignal("");
  const putAway = useSignal<string | undefined>(undefined);
  const isSaving = useRef(false);
  const tried = useTried(file, text, agent, (thrown) => (fault.value = thrown));
  useEffect(() => {
    // Another person wrote it.
    if (draft !== undefined && !isOther) dropDraft(id);
  }, [draft, isOther]);
  const type = (next: string) => {
    message.value = "";
    putAway.value = undefined;
    if (next === file.text) dropDraft(id);
    else saveDraft(id, { path, text: next, sha256: draft?.sha256 ?? sha256 });
  };
  const goBack = () => {
    const before = text;
    type(file.text);
    putAway.value = before;
  };
  const lint = tried.value?.lint ?? [];
  const hasErrors = lint.some(({ severity }) => severity === "error");
  const canSave = isOther && !isChanged && !hasErrors && file.editable && mayAct.value;
  const save = async () => {
    if (!canSave || isSaving.current) return;
    isSaving.current = true;
    try {
      const { inForce, problems, ...saved } = await callApi("PUT /api/policy/file", {
        body: { id, text, sha256 },
      });
      // Text typed during the save becomes a draft.
      const now = drafts.value[id]?.text ?? text;
      if (now === text) dropDraft(id);
      else saveDraft(id, { path, text: now, sha256: saved.sha256 });
      message.value =
        problems.length > 0
          ? `${texts.saved} ${problems.join(" ")}`
          : inForce
            ? texts.savedInForce
            : texts.saved;
      fault.value = undefined;
      onSaved({ ...file, text, sha256: saved.sha256 });
    } catch (thrown) {
      fault.value = toApiError(thrown);
      // The save may have succeeded.
      onReload();
    }
    isSaving.current = false;
  };
  const state = hasErrors ? texts.hasErrors : isOther ? texts.notSaved : message.value;
  return (
    <>
      <div class="editor-text">
        <ErrorNotice
          fault={fault.value?.code === "POLICY_FILE_CHANGED" && isChanged ? undefined : fault.value}
        />
        {!file.editable && <p class="notice quiet text">{escapeInvisible(file.why ?? texts.notEditable)}</p>}
        {isChanged && (
          <ChangedOnDisk
            now={file.text}
            draft={text}
            onKeep={() => saveDraft(id, { path, text, sha256 })}
            onTake={goBack}
          />
        )}
        <TextEditor
          text={text}
          label={escapeInvisibleLine(path)}
          readOnly={!file.editable}
          lint={lint}
          line={Number(route.value.query.get("line") ?? 0)}
          onInput={type}
          onSave={() => void save()}
        />
        <p class="editor-actions">
          <Button look="main" acts text={texts.save} disabled={!canSave} onClick={() => void save()} />
          <Button text={texts.revert} disabled={!isOther} onClick={goBack} />
          {putAway.value !== undefined && (
            <Button text={texts.bringBack} onClick={() => type(putAway.value!)} />
          )}
          <span role="status" class="soft small text">
            {escapeInvisible(state)}
          </span>
        </p>
      </div>
      <div class="editor-effects" tabIndex={0} role="region" aria-label={texts.wouldChange}>
        {hasErrors ? (
          <p class="soft">{texts.hasErrors}</p>
        ) : (
          <>
            <ChangedCells tried={tried.value} isOther={isOther} />
            <PastCalls edit={{ id, text, ...(agent === "" ? {} : { agent }) }} isOther={isOther} />
          </>
        )}
      </div>
    </>
  );
}

function useTried(
  { id, sha256, editable }: PolicyFileText,
  text: string,
  agent: string,
  onFault: (fault: ReturnType<typeof toApiError> | undefined) => void,
) {
  const tried = useSignal<PolicyEditPreview | undefined>(undefined);
  useEffect(() => {
    if (!editable) return undefined;
    const trial = new AbortController();
    const attempt = async () => {
      try {
        const body = { id, text, ...(agent === "" ? {} : { agent }) };
        tried.value = await callApi("POST /api/policy/try", { body, signal: trial.signal });
        onFault(undefined);
        if (tried.value.lint.some(({ severity }) => severity === "error")) return;
        // Slow program checks.
        const { lint } = await callApi("POST /api/policy/lint", { body, signal: trial.signal });
        tried.value = { ...tried.value, lint };
      } catch (thrown) {
        if (!trial.signal.aborted) onFault(toApiError(thrown));
      }
    };
    const timer = setTimeout(() => void attempt(), tried.peek() === undefined ? 0 : TYPING_MS);
    return () => {
      clearTimeout(timer);
      trial.abort();
    };
  }, [text, agent, sha256, editable]);
  return tried;
}

function ChangedCells({ tried, isOther }: { tried: PolicyEditPreview | undefined; isOther: boolean }) {
  const changed = tried?.changed ?? [];
  return (
    <section>
      <h2>{texts.cells(changed.length)}</h2>
      {changed.length === 0 && <p class="soft small">{isOther ? texts.noCells : texts.editToSee}</p>}
      <ul class="changed-cells">
        {changed.map(({ toolId, name, kind, before, after }) => (
          <li key={`${toolId} ${kind}`} title={escapeInvisible(after?.reason ?? "")}>
            <span class="mono cut">{escapeInvisibleLine(name)}</span>
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
