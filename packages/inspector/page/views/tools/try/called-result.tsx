import type { PlaygroundCallResult } from "../../../../src/wire/api.ts";
import { Button } from "../../../parts/button.tsx";
import { FileDiffs } from "../../../parts/diff/file-diffs.tsx";
import { Mark } from "../../../parts/mark.tsx";
import { Section } from "../../../parts/section.tsx";
import { ContentBlocks } from "../../../parts/text/content-blocks.tsx";
import { formatDuration } from "../../../parts/text/format-values.ts";
import { JsonBlock } from "../../../parts/text/json-block.tsx";
import { approvals, timeline } from "../../../strings/calls.ts";
import { tools as texts } from "../../../strings/rules.ts";

interface CalledResultProps {
  called: PlaygroundCallResult;
  isBusy: boolean;
  onDecide: (allow: boolean) => void;
}

export function CalledResult({ called, isBusy, onDecide }: CalledResultProps) {
  const { kind, code, content, details, files, approval, durationMs, receipt } = called;
  return (
    <div class="called">
      <p class="why">
        <Mark word={kind === "pending" ? "waiting" : kind} text={kind} />
        {code !== undefined && <code class="small">{code}</code>}
        <span class="soft small">
          {formatDuration(durationMs)} · {timeline.receipts[receipt]}
        </span>
      </p>
      {approval !== undefined && (
        <>
          <ContentBlocks blocks={approval.preview} />
          <p class="actions">
            <Button
              look="main small"
              text={approvals.once}
              disabled={isBusy}
              onClick={() => onDecide(true)}
            />
            <Button
              look="bad small"
              text={approvals.deny}
              disabled={isBusy}
              onClick={() => onDecide(false)}
            />
          </p>
        </>
      )}
      {files.length > 0 && <FileDiffs files={files} />}
      <ContentBlocks blocks={content} plain />
      {details !== undefined && details !== null && (
        <Section title={texts.details} closed>
          <JsonBlock value={details} />
        </Section>
      )}
    </div>
  );
}
