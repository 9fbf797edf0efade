import { redactSecrets } from "@haft/core/internal";

/** A recorded value as JSON on several lines, secrets covered: a call that waits is kept with them. */
export function coveredJson(value: unknown): string {
  return redactSecrets(JSON.stringify(value, undefined, 2) ?? "");
}

/** A recorded value with the secrets in its texts covered. */
export function covered<T>(value: T): T {
  if (typeof value === "string") return redactSecrets(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => covered(each as unknown)) as T;
  const members = Object.entries(value).map(([name, each]) => [name, covered(each as unknown)]);
  return Object.fromEntries(members) as T;
}
