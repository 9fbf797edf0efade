import type { Session } from "@haft/core/kernel";
import { invalid } from "../incoming/check-options.ts";

/**
 * What a bridge to another host is given: a slip would leave nobody who is asked, without a word.
 *
 * @param bridge for messages: `toAISDK`
 * @param approvals what this bridge knows
 * @throws HaftError `BRIDGE_INVALID`
 */
export function checkSession(
  bridge: string,
  session: Session,
  options: object,
  approvals: readonly string[],
): void {
  const given = session as Partial<Session> | null | undefined;
  if (typeof given?.tools !== "function" || typeof given.call !== "function")
    throw invalid(`${bridge} takes a session.`, `Give it an open one: ${bridge}(await host.openSession()).`);
  const words = approvals.map((word) => JSON.stringify(word)).join(" or ");
  const example = `${bridge}(session, { approvals: ${JSON.stringify(approvals.at(-1))} })`;
  if (typeof options !== "object" || options === null)
    throw invalid(`The options of ${bridge} are no object.`, `Give it one, or nothing: ${example}.`);
  const unknown = Object.keys(options).find((key) => key !== "approvals");
  if (unknown !== undefined)
    throw invalid(
      `${bridge} has no option ${JSON.stringify(unknown)}.`,
      `Its only option is approvals: ${words}.`,
    );
  const { approvals: wanted } = options as { approvals?: unknown };
  if (wanted !== undefined && !approvals.includes(wanted as string))
    throw invalid(
      `approvals of ${bridge} is ${JSON.stringify(wanted) ?? typeof wanted}, which it does not know.`,
      `Use ${words}: ${example}.`,
    );
}
