import { useEffect, useRef } from "preact/hooks";
import type { Lint } from "../../../../src/wire/api.ts";
import { Mark } from "../../../parts/mark.tsx";
import { escapeInvisible } from "../../../parts/text/escape-invisible.ts";
import { policy as texts } from "../../../strings/rules.ts";

interface TextEditorProps {
  text: string;
  label: string;
  readOnly: boolean;
  lint: readonly Lint[];
  /** From 1; 0 for none. */
  line: number;
  onInput: (text: string) => void;
  onSave: () => void;
}

/** The styles define it. */
const LINE_HEIGHT = 20;

export function TextEditor({ text, label, readOnly, lint, line, onInput, onSave }: TextEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const margin = useRef<HTMLDivElement>(null);
  const count = text.split("\n").length;
  const byLine = Map.groupBy(lint, (each) => Math.min(each.line ?? 1, count));
  useEffect(() => {
    if (line === 0) return;
    const start =
      text
        .split("\n")
        .slice(0, line - 1)
        .join("\n").length + (line > 1 ? 1 : 0);
    area.current!.focus();
    area.current!.setSelectionRange(start, start);
    area.current!.scrollTop = Math.max(0, (line - 4) * LINE_HEIGHT);
  }, [line]);
  return (
    <div class="text-editor">
      <div class="text-editor-box">
        <div class="text-margin" ref={margin} aria-hidden="true">
          <div>
            {Array.from({ length: count }, (_, index) => (
              <i key={index} class={worstOf(byLine.get(index + 1))}>
                {index + 1}
              </i>
            ))}
          </div>
        </div>
        <textarea
          ref={area}
          class="mono"
          aria-label={label}
          aria-invalid={lint.some(({ severity }) => severity === "error")}
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          wrap="off"
          readOnly={readOnly}
          value={text}
          onInput={(event) => onInput(event.currentTarget.value)}
          onScroll={(event) => (margin.current!.scrollTop = event.currentTarget.scrollTop)}
          onKeyDown={(event) => {
            if ((event.ctrlKey || event.metaKey) && event.key === "s") {
              event.preventDefault();
              onSave();
            } else if (event.key === "Escape") event.currentTarget.blur();
          }}
        />
      </div>
      <ul class="lint-lines" aria-live="polite" aria-label={texts.lint}>
        {lint.map((each, index) => (
          <li key={index} class={each.severity}>
            <Mark word={each.severity} bare text={texts.line(each.line ?? 1)} />
            <span class="text">
              {escapeInvisible(each.message)}
              {each.nearest !== undefined &&
                each.nearest.length > 0 &&
                ` ${texts.meant(each.nearest.join(", "))}`}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function worstOf(lint: readonly Lint[] | undefined): string {
  if (lint === undefined) return "";
  return lint.some(({ severity }) => severity === "error") ? "error" : "warning";
}
