import { useEffect } from "preact/hooks";
import type { PolicyView } from "../../../../src/wire/api.ts";
import { goTo, linkTo, route } from "../../../app/routes.ts";
import { callApi } from "../../../client/request.ts";
import { type Draft, drafts, dropDraft } from "../../../data/drafts.ts";
import { useResource } from "../../../data/resource.ts";
import { Button } from "../../../parts/button.tsx";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { Empty } from "../../../parts/empty.tsx";
import { ErrorNotice } from "../../../parts/error-notice.tsx";
import { escapeInvisible, escapeInvisibleLine } from "../../../parts/text/escape-invisible.ts";
import { words } from "../../../strings/frame.ts";
import { policy as texts } from "../../../strings/rules.ts";
import { EditedFile } from "./edited-file.tsx";
import "./what-if.css";

export function PolicyEditor({ view, agent }: { view: PolicyView; agent: string }) {
  const wanted = route.value.query.get("file");
  const { files } = view;
  const lost = Object.entries(drafts.value).filter(([id]) => files.every((file) => file.id !== id));
  const file =
    files.find(({ id }) => id === wanted) ??
    (lost.some(([id]) => id === wanted) ? undefined : (files.find(({ editable }) => editable) ?? files[0]));
  const [lostId, lostDraft] = lost.find(([id]) => id === wanted) ?? lost[0] ?? [];
  if (file === undefined && lostDraft === undefined) return <Empty icon="policy" title={texts.noFiles} />;
  return (
    <div class="editor">
      <div class="editor-files">
        <label class="tick">
          <span class="soft small">{texts.file}</span>
          <select
            class="field grow"
            value={file?.id ?? lostId}
            onChange={({ currentTarget: { value } }) => goTo(linkTo("policy", ["edit"], { file: value }))}
          >
            {files.map(({ id, path, owner }) => (
              <option key={id} value={id}>
                {escapeInvisibleLine(path)} ({texts.owner[owner]})
                {drafts.value[id] !== undefined && texts.draftOf}
              </option>
            ))}
            {lost.map(([id, { path }]) => (
              <option key={id} value={id}>
                {escapeInvisibleLine(path)}
                {texts.draftOf}
              </option>
            ))}
          </select>
        </label>
      </div>
      {file === undefined ? (
        <LostDraft key={lostId} id={lostId!} draft={lostDraft!} />
      ) : (
        <OneFile key={file.id} id={file.id} agent={agent} version={view.version} />
      )}
    </div>
  );
}

function OneFile({ id, agent, version }: { id: string; agent: string; version: string }) {
  const file = useResource(
    (ending) => callApi("GET /api/policy/file", { query: { id }, signal: ending }),
    [id],
  );
  // Checked after new rules and when visible, because others can change the file.
  useEffect(() => {
    if (file.value.peek() !== undefined) file.reload();
  }, [version]);
  useEffect(() => {
    addEventListener("focus", file.reload);
    return () => removeEventListener("focus", file.reload);
  }, []);
  const found = file.value.value;
  const draft = drafts.value[id];
  if (found !== undefined)
    return (
      <EditedFile
        file={found}
        agent={agent}
        onReload={file.reload}
        onSaved={(saved) => (file.value.value = saved)}
      />
    );
  if (file.error.value === undefined) return <p class="loading soft">{words.loading}</p>;
  return (
    <>
      <ErrorNotice fault={file.error.value} onRetry={file.reload} />
      {draft !== undefined && <LostDraft id={id} draft={draft} />}
    </>
  );
}

function LostDraft({ id, draft }: { id: string; draft: Draft }) {
  return (
    <section class="editor-text" aria-label={texts.lostDraft}>
      <p class="notice warning text">{escapeInvisible(texts.lostDraftOf(draft.path))}</p>
      <textarea
        class="field mono lost-draft"
        aria-label={escapeInvisibleLine(draft.path)}
        readOnly
        value={draft.text}
      />
      <p class="editor-actions">
        <CopyButton text={draft.text} />
        <Button look="bad" text={texts.dropDraft} onClick={() => dropDraft(id)} />
      </p>
    </section>
  );
}
