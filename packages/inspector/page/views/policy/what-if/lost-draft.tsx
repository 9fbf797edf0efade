import { type Draft, dropDraft } from "../../../data/drafts.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { visible, visibleLine } from "../../../parts/text/visible-text.ts";
import { policy as texts } from "../../../strings/rules.ts";

export function LostDraft({ id, draft }: { id: string; draft: Draft }) {
  return (
    <section class="editor-text" aria-label={texts.lostDraft}>
      <p class="notice warning text">{visible(texts.lostDraftOf(draft.path))}</p>
      <textarea
        class="field mono lost-draft"
        aria-label={visibleLine(draft.path)}
        readOnly
        value={draft.text}
      />
      <p class="editor-actions">
        <CopyButton text={draft.text} />
        <button type="button" class="button bad" onClick={() => dropDraft(id)}>
          {texts.dropDraft}
        </button>
      </p>
    </section>
  );
}
