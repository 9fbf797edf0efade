import type { GuardedCapabilities } from "../../../src/wire/api.ts";
import { escapeInvisibleLine } from "../../parts/text/escape-invisible.ts";
import { formatMoment } from "../../parts/text/format-values.ts";
import { owner } from "../../strings/owner.ts";

const texts = owner.guarded;

export function GuardedLetter({ facts }: { facts: GuardedCapabilities }) {
  const { session, folder, asked, notClosed } = facts;
  const client = escapeInvisibleLine(facts.client);
  return (
    <article class="owner">
      <h2>{texts.title(client)}</h2>
      <p class="soft">
        {texts.about(client, escapeInvisibleLine(session.sessionKey ?? ""))}{" "}
        {owner.made(formatMoment(Date.now()))}
      </p>
      <h3>{texts.can}</h3>
      <p>{texts.canText(client)}</p>
      <h3>{texts.sees}</h3>
      <p>{texts.seesText(client, escapeInvisibleLine(folder))}</p>
      <p>{texts.asked(asked.calls)}</p>
      <ul class="bullets">
        {asked.tools.map(({ name, calls, denied, waiting }) => (
          <li key={name}>
            <span class="mono">{escapeInvisibleLine(name)}</span> {texts.tool(calls, denied, waiting)}
          </li>
        ))}
      </ul>
      <h3>{texts.blind}</h3>
      <p>{texts.blindText(client)}</p>
      <ul class="bullets">
        {notClosed.map((sentence) => (
          <li key={sentence}>{escapeInvisibleLine(sentence)}</li>
        ))}
      </ul>
      <h3>{texts.keeps}</h3>
      <p>{texts.keepsText}</p>
      <h3>{texts.cannot}</h3>
      <p>{texts.cannotText(client)}</p>
    </article>
  );
}
