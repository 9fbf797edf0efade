import type { Hono } from "hono";
import { inspectorError } from "../errors.ts";
import type { EventRing } from "../events/event-ring.ts";
import type { ServedOrigin } from "../guard/same-origin.ts";
import type { Tokens } from "../guard/tokens.ts";
import type { InspectorSource } from "../source/inspector-source.ts";
import type { Role } from "../wire/api.ts";
import type { PageFiles } from "./page-files.ts";

export interface Variables {
  role: Role;
}

export type App = Hono<{ Variables: Variables }>;

export interface AppContext {
  source: InspectorSource;
  tokens: Tokens;
  /** Known after `listen`. */
  getServedOrigin: () => ServedOrigin;
  ring: EventRing;
  page: PageFiles;
  closing: AbortSignal;
}

export function requireActRole(role: Role): void {
  if (role === "act") return;
  const message = "This page is read-only: its token cannot decide.";
  throw inspectorError("INSPECT_REFUSED", message, {
    details: { reason: "looks-only" },
    fix: "Start the inspector with `--act` and open the address that it prints.",
  });
}
