import { optionsSchema } from "@haft/core/internal";
import type { PlaygroundDecision, PlaygroundRequest, PlaygroundCall } from "../../wire/api.ts";
import { type App, type AppContext, requireActRole } from "../app-context.ts";
import { requireResource, Query, readBody } from "../read-request.ts";
import { getRequestSignal } from "./call-routes.ts";

const TEXT = { type: "string" };
const KIND = { enum: ["main", "group", "sandboxed"], description: "The kind of session." };
const EXPLAIN = optionsSchema<{ kind?: string; tool: string; args?: unknown }>(
  { kind: KIND, tool: { ...TEXT, description: "The tool." }, args: { description: "Its arguments." } },
  ["tool"],
);
const OPEN = optionsSchema<PlaygroundRequest>({
  kind: KIND,
  files: {
    type: "object",
    "haft:kind": "object",
    additionalProperties: TEXT,
    description: "The first files, by path.",
  },
});
const CALL = optionsSchema<PlaygroundCall>(
  { tool: { ...TEXT, description: "The tool." }, args: { description: "Its arguments." } },
  ["tool", "args"],
);
const ALLOW = optionsSchema<PlaygroundDecision>(
  {
    approvalId: { ...TEXT, description: "The id of the request." },
    allow: { type: "boolean", description: "Whether the call may run." },
  },
  ["approvalId", "allow"],
);

export function addToolRoutes(app: App, { source, closing }: AppContext): void {
  app.get("/api/tools", async (context) => {
    const query = new Query(context, ["kind", "agent"]);
    return context.json(await source.tools(given({ kind: query.text("kind"), agent: query.text("agent") })));
  });
  app.get("/api/abilities", async (context) => {
    const query = new Query(context, ["kind", "agent", "run"]);
    const [kind, agent, run] = [query.text("kind"), query.text("agent"), query.text("run")];
    return context.json(await source.capabilities(given({ kind, agent, run })));
  });
  app.get("/api/places", async (context) => context.json(await source.locations()));
  app.post("/api/explain", async (context) =>
    context.json(await source.explain(await readBody(context, EXPLAIN))),
  );
  app.post("/api/scratch", async (context) => {
    requireActRole(context.get("role"));
    return context.json(await source.openPlayground(await readBody<PlaygroundRequest>(context, OPEN)));
  });
  app.post("/api/scratch/:id/call", async (context) => {
    requireActRole(context.get("role"));
    const call = await readBody<PlaygroundCall>(context, CALL);
    const id = context.req.param("id");
    const called = await source.callInPlayground(id, call, getRequestSignal(context, closing));
    return context.json(requireResource(called, `scratch workspace ${id}`));
  });
  app.post("/api/scratch/:id/allow", async (context) => {
    requireActRole(context.get("role"));
    const id = context.req.param("id");
    const called = await source.decideInPlayground(id, await readBody<PlaygroundDecision>(context, ALLOW));
    return context.json(requireResource(called, `scratch workspace ${id}`));
  });
  app.delete("/api/scratch/:id", async (context) => {
    requireActRole(context.get("role"));
    return context.json({ closed: await source.closePlayground(context.req.param("id")) });
  });
}

function given<Asked extends Readonly<Record<string, string | undefined>>>(queried: Asked) {
  return Object.fromEntries(Object.entries(queried).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Asked]?: string;
  };
}
