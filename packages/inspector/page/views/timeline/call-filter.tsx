import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Api } from "../../../src/wire/api.ts";
import { bindKeys } from "../../app/key-map.ts";
import { timeline } from "../../strings/calls.ts";
import { words } from "../../strings/frame.ts";

export interface CallFilter {
  text: string;
  outcome: string;
  tool: string;
}

export function parseCallFilter(query: URLSearchParams): CallFilter {
  const [text = "", outcome = "", tool = ""] = ["text", "outcome", "tool"].map(
    (name) => query.get(name) ?? "",
  );
  return { text, outcome, tool };
}

export function toCallQuery({ outcome, ...filter }: CallFilter): Api["GET /api/calls"]["query"] {
  return { ...filter, outcome: outcome as "ok" };
}

const OUTCOMES = ["ok", "error", "blocked", "cancelled"] as const;
const TYPING_MS = 200;

export function CallFilterBar({
  filter,
  onChange,
}: {
  filter: CallFilter;
  onChange: (filter: CallFilter) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const typed = useSignal(filter.text);
  const timer = useRef(0);
  // Conditions may change during typing.
  const latest = useRef(filter);
  latest.current = filter;
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    typed.value = filter.text;
  }, [filter.text]);
  useEffect(() => bindKeys([{ keys: "/", label: timeline.filter, run: () => input.current?.focus() }]), []);
  const type = (text: string) => {
    typed.value = text;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange({ ...latest.current, text: text.trim() }), TYPING_MS);
  };
  return (
    <search class="filter">
      <input
        ref={input}
        class="field grow"
        type="search"
        aria-label={timeline.filter}
        placeholder={timeline.filterHint}
        value={typed.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
      <select
        class="field"
        aria-label={timeline.anyOutcome}
        value={filter.outcome}
        onChange={(event) => onChange({ ...filter, outcome: event.currentTarget.value })}
      >
        <option value="">{timeline.anyOutcome}</option>
        {OUTCOMES.map((outcome) => (
          <option key={outcome} value={outcome} title={words.stand[outcome]}>
            {outcome}
          </option>
        ))}
      </select>
      <input
        class="field tool-field"
        aria-label={words.views.tools}
        placeholder={timeline.anyTool}
        value={filter.tool}
        onChange={(event) => onChange({ ...filter, tool: event.currentTarget.value.trim() })}
      />
    </search>
  );
}
