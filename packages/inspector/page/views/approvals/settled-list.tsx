import { settled } from "../../data/approvals.ts";
import { Mark } from "../../parts/mark.tsx";
import { clock } from "../../parts/text/times.ts";
import { visible, visibleLine } from "../../parts/text/visible-text.ts";
import { approvals as texts } from "../../strings/calls.ts";

export function SettledList() {
  if (settled.value.length === 0) return null;
  return (
    <section class="settled" aria-label={texts.lately}>
      <h2>{texts.lately}</h2>
      <ul aria-live="polite">
        {settled.value.map(({ approvalId, toolName, summary, text, word, at }) => (
          <li key={approvalId}>
            <Mark word={word} text={word} bare short />
            <span class="mono cut settled-call">
              {visibleLine(toolName)} <span class="soft">{visibleLine(summary)}</span>
            </span>
            <span class="grow text">{visible(text)}</span>
            <time class="soft small number">{clock(at)}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}
