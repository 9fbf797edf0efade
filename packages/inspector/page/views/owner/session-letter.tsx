import type { SessionCapabilities } from "../../../src/wire/api.ts";
import { CellMark } from "../../parts/cell-mark.tsx";
import { Mark } from "../../parts/mark.tsx";
import { escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatMoment } from "../../parts/text/format-values.ts";
import { words } from "../../strings/frame.ts";
import { owner as texts } from "../../strings/owner.ts";
import { toCapabilityLines } from "./capability-lines.ts";

export function SessionLetter({ facts }: { facts: SessionCapabilities }) {
  const { session, folders, closed, hidden, consent, approvals, tools, missing, record, state } = facts;
  const { where } = facts.commands;
  const runsCommands = facts.abilities.commands.means.length > 0;
  const isLoose = runsCommands && (where === "open" || where === "elsewhere");
  return (
    <article class="owner">
      <h2>{texts.title(escapeInvisibleLine(session.agentId))}</h2>
      <p class="soft">
        {texts.about(
          words.kind[session.kind],
          escapeInvisibleLine(session.sessionKey ?? ""),
          state === "past",
        )}{" "}
        {texts.made(formatMoment(Date.now()))}
      </p>
      <ul class="abilities">
        {toCapabilityLines(facts).map(({ name, mark, badge, means, notes }) => (
          <li key={name}>
            <Mark word={mark} text={badge} />
            <div>
              <h3>{name}</h3>
              {means.map(({ text, tools: by }) => (
                <p key={text} class="text">
                  {text} <span class="soft small">{texts.by(escapeInvisibleLine(by.join(", ")))}</span>
                </p>
              ))}
              {notes.map((note) => (
                <p key={note} class="text">
                  {note}
                </p>
              ))}
            </div>
          </li>
        ))}
      </ul>
      <h3>{texts.folders}</h3>
      {folders.length === 0 && <p>{texts.noFolders}</p>}
      <ul class="bullets">
        {folders.map(({ name, path, access }) => (
          <li key={name}>
            <code>{escapeInvisibleLine(path)}</code> {access === "rw" ? texts.readWrite : texts.readOnly}
          </li>
        ))}
      </ul>
      {runsCommands && <p>{texts.notHeld[where]}</p>}
      <Patterns title={texts.closed} patterns={closed} note={isLoose ? texts.closedOpen : undefined} />
      <Patterns title={texts.hidden} patterns={hidden} />
      <Patterns title={texts.consent} patterns={consent} note={isLoose ? texts.consentOpen : undefined} />
      <h3>{texts.asking}</h3>
      <p>
        {texts.approvals(approvals.mode, Math.round(approvals.timeoutMs / 60_000))}{" "}
        {texts.grants(approvals.grants)}
      </p>
      <h3>{texts.recorded}</h3>
      <p>
        {texts.record(record.mode)} {record.undo ? texts.undo : texts.noUndo}{" "}
        {record.audit ? texts.audit : ""}
      </p>
      <h3>{texts.allTools(tools.length)}</h3>
      <ul class="tool-words">
        {tools.map((tool) => (
          <li key={tool.name}>
            <CellMark cell={tool} bare />
            <span class="mono">{escapeInvisibleLine(tool.name)}</span>
          </li>
        ))}
      </ul>
      {missing > 0 && <p class="soft small">{texts.missing(missing)}</p>}
    </article>
  );
}

function Patterns({
  title,
  patterns,
  note,
}: {
  title: string;
  patterns: readonly string[];
  note?: string | undefined;
}) {
  if (patterns.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <p class="mono small">{escapeInvisibleLine(patterns.join("  "))}</p>
      {note !== undefined && <p>{note}</p>}
    </>
  );
}
