import { HaftError, type HaftErrorOptions, messageOf } from "../../contract/errors.ts";
import type { CallPlan } from "../../contract/plan.ts";
import type { Logger } from "../../contract/ports.ts";
import { withoutUndefined } from "../../contract/without-undefined.ts";
import { messageWithCauses } from "../../format/causes.ts";
import type { SecretCover } from "../../format/secret-cover.ts";

/** A log that gets no secrets. Nobody else's: what a plugin does to it, it does to itself. */
export function coveredLogger(logger: Logger, cover: SecretCover): Logger {
  const write =
    (level: keyof Logger): Logger["info"] =>
    (message, fields) =>
      logger[level](cover.text(message), fields && cover.value(fields));
  return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

export function coveredError(thrown: unknown, cover: SecretCover): unknown {
  if (cover.isEmpty) return thrown;
  const whole = messageWithCauses(thrown);
  if (HaftError.is(thrown)) {
    const { code, category, fix, details, receipt } = thrown;
    const options = { category, fix: fix && cover.text(fix), details: cover.value(details), receipt };
    return new HaftError(
      cover.text(code),
      cover.text(messageOf(thrown)),
      withoutUndefined<HaftErrorOptions>(options),
    );
  }
  const covered = cover.text(whole);
  return covered === whole ? thrown : new Error(covered);
}

/** What people are shown of a plan. What rules look at, and what is for the tool itself, stays what it is. */
export function coveredPlan(plan: CallPlan, cover: SecretCover): CallPlan {
  if (cover.isEmpty) return plan;
  const { preview, programs, noProgramGrant, noAlways, refused, consent } = plan;
  const shown = cover.value({ preview, noProgramGrant, noAlways, refused });
  return withoutUndefined<CallPlan>({
    ...plan,
    ...shown,
    programs: programs?.map((offer) => ({ ...offer, summary: cover.text(offer.summary) })),
    consent: consent?.map((each) => ({ ...each, reason: cover.text(each.reason) })),
  });
}
