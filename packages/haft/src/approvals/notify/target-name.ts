import { escapeInvisible } from "@haft/core/internal";
import { basename } from "node:path";
import type { NotifyTarget } from "./settings.ts";

/** As messages name it: an address may be a secret, so its host at most, and of a command its program. */
export function nameOfTarget(target: NotifyTarget, index: number): string {
  const place = `approvals.notify ${index + 1}`;
  if ("command" in target) return `${place} (${escapeInvisible(basename(target.command[0] ?? ""))})`;
  const { url, format = "json" } = target;
  const where = typeof url !== "string" ? `$${url.env}` : URL.canParse(url) ? new URL(url).host : "?";
  return `${place} (${format} at ${escapeInvisible(where)})`;
}
