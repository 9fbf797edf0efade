import { optionsSchema } from "@haft/core/internal";
import type { HttpBindings } from "@hono/node-server";
import type { UndoRequest } from "../../wire/api.ts";
import { type App, type AppContext, requireActRole } from "../app-context.ts";
import { createBadRequest, requireResource, Query, readBody } from "../read-request.ts";
import { textStream } from "../text-stream.ts";
import { getRequestSignal } from "./call-routes.ts";

const UNDO = optionsSchema<UndoRequest>(
  {
    runId: { type: "string", description: "The session." },
    toolCallId: { type: "string", description: "The call before which files are restored." },
    dryRun: { type: "boolean", description: "Only report, and write nothing." },
    skipConflicts: { type: "boolean", description: "Restore the other files if some are in conflict." },
  },
  ["runId", "toolCallId"],
);

const TYPES = {
  html: "text/html; charset=utf-8",
  json: "application/json; charset=utf-8",
  jsonl: "application/x-ndjson; charset=utf-8",
} as const;

export function addLedgerRoutes(app: App, { source, closing }: AppContext): void {
  app.get("/api/ledger/compare", async (context) => {
    const query = new Query(context, ["a", "b"]);
    return context.json(await source.compare({ a: query.requireText("a"), b: query.requireText("b") }));
  });
  app.post("/api/undo", async (context) => {
    const request = await readBody<UndoRequest>(context, UNDO);
    if (request.dryRun !== true) requireActRole(context.get("role"));
    return context.json(await source.undo(request));
  });
  app.get("/api/ledger/export", async (context) => {
    const query = new Query(context, ["run", "session", "format"]);
    const [run, session] = [query.text("run"), query.text("session")];
    if ((run === undefined) === (session === undefined))
      throw createBadRequest("An export needs either run or session.");
    const format = query.choice("format", ["html", "json", "jsonl"]) ?? "html";
    const request = { format, ...(run !== undefined && { run }), ...(session !== undefined && { session }) };
    const { outgoing } = context.env as HttpBindings;
    const { name, pieces } = requireResource(await source.openExport(request), "such session");
    return context.body(
      textStream(pieces, getRequestSignal(context, closing), () => outgoing.destroy()),
      200,
      {
        "content-type": TYPES[format],
        // Must not open as a page of the inspector.
        "content-disposition": `attachment; filename="${name.replaceAll(/[^\w.-]/g, "_")}"`,
      },
    );
  });
}
