import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import { Button } from "../../../parts/button.tsx";
import { DiffText } from "../../../parts/diff/diff-text.tsx";
import { escapeInvisible } from "../../../parts/text/escape-invisible.ts";
import { policy as texts } from "../../../strings/rules.ts";

interface ChangedOnDiskProps {
  now: string;
  draft: string;
  onKeep: () => void;
  onTake: () => void;
}

/** Very different texts compare slowly. */
const COMPARE_MS = 1_000;

export function ChangedOnDisk({ now, draft, onKeep, onTake }: ChangedOnDiskProps) {
  const diff = createTwoFilesPatch("", "", now, draft, "", "", {
    timeout: COMPARE_MS,
    headerOptions: OMIT_HEADERS,
  });
  return (
    <section class="changed-on-disk" aria-label={texts.changedOnDisk}>
      <p class="notice warning text" role="alert">
        {texts.changedOnDisk}
      </p>
      <p class="diff-names soft small">
        <span>{texts.onDisk}</span>
        <span>{texts.yourText}</span>
      </p>
      <div class="both">
        {diff === undefined ? <pre class="block">{escapeInvisible(now)}</pre> : <DiffText diff={diff} />}
      </div>
      <p class="editor-actions">
        <Button text={texts.keepMine} onClick={onKeep} />
        <Button text={texts.takeTheirs} onClick={onTake} />
      </p>
    </section>
  );
}
