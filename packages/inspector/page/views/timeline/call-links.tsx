import type { CallDetail } from "../../../src/wire/api.ts";
import { goTo, linkTo } from "../../app/routes.ts";
import { isExported } from "../../data/about.ts";
import { Section } from "../../parts/section.tsx";
import { escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { timeline } from "../../strings/calls.ts";
import { linkToCall } from "./call-list.tsx";
import { CallRow } from "./call-row.tsx";

export function CallLinks({ call }: { call: CallDetail }) {
  const { runId, parentCallId, duplicateOf, processId, children } = call;
  const texts = timeline.facts;
  const links = [
    [texts.parent, parentCallId, linkTo("timeline", [runId, parentCallId ?? ""])],
    [texts.duplicate, duplicateOf, linkTo("timeline", [runId, duplicateOf ?? ""])],
    [texts.process, isExported.value ? undefined : processId, linkTo("processes", [runId, processId ?? ""])],
  ] as const;
  return (
    <>
      {links.some(([, id]) => id !== undefined) && (
        <dl class="facts">
          {links.map(([name, id, link]) =>
            id === undefined ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <a class="mono" href={link}>
                    {escapeInvisibleLine(id)}
                  </a>
                </dd>
              </div>
            ),
          )}
        </dl>
      )}
      {children.length > 0 && (
        <Section title={timeline.sections.children}>
          <ul class="children">
            {children.map((child) => (
              <li key={child.toolCallId}>
                <button type="button" class="child" onClick={() => goTo(linkToCall(child))}>
                  <CallRow row={child} />
                </button>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}
