import { coverValue } from "@haft/core/internal/records";

/** A recorded value as JSON on several lines, secrets covered: a call that waits is kept with them. */
export function coveredJson(value: unknown): string {
  return JSON.stringify(coverValue(value), undefined, 2) ?? "";
}
