import { optionsSchema } from "@haft/core/internal";
import type { ScratchAllow, ScratchAsked, ScratchCall } from "../../wire/api.ts";
import { type App, type AppParts, requireActing } from "../app-parts.ts";
import { found, Query, readBody } from "../read-request.ts";
import { signalOf } from "./call-routes.ts";

const TEXT = { type: "string" };
const KIND = { enum: ["main", "group", "sandboxed"], description: "The kind of session." };
const EXPLAIN = optionsSchema<{ kind?: string; tool: string; args?: unknown }>(
  { kind: KIND, tool: { ...TEXT, description: "The tool." }, args: { description: "Its arguments." } },
  ["tool"],
);
const OPEN = optionsSchema<ScratchAsked>({
  kind: KIND,
  files: {
    type: "object",
    "haft:kind": "object",
    additionalProperties: TEXT,
    description: "Files that stand in it, by their paths.",
  },
});
const CALL = optionsSchema<ScratchCall>(
  { tool: { ...TEXT, description: "The tool." }, args: { description: "Its arguments." } },
  ["tool", "args"],
);
const ALLOW = optionsSchema<ScratchAllow>(
  {
    approvalId: { ...TEXT, description: "Of the request." },
    allow: { type: "boolean", description: "Whether it may run." },
  },
  ["approvalId", "allow"],
);

export function addToolRoutes(app: App, { source, closing }: AppParts): void {
  app.get("/api/tools", async (context) => {
    const query = new Query(context, ["kind", "agent"]);
    return context.json(await source.tools(given({ kind: query.text("kind"), agent: query.text("agent") })));
  });
  app.get("/api/abilities", async (context) => {
    const query = new Query(context, ["kind", "agent", "run"]);
    const [kind, agent, run] = [query.text("kind"), query.text("agent"), query.text("run")];
    return context.json(await source.abilities(given({ kind, agent, run })));
  });
  app.get("/api/places", async (context) => context.json(await source.places()));
  app.post("/api/explain", async (context) =>
    context.json(await source.explain(await readBody(context, EXPLAIN))),
  );
  app.post("/api/scratch", async (context) => {
    requireActing(context.get("role"));
    return context.json(await source.openScratch(await readBody<ScratchAsked>(context, OPEN)));
  });
  app.post("/api/scratch/:id/call", async (context) => {
    requireActing(context.get("role"));
    const call = await readBody<ScratchCall>(context, CALL);
    const id = context.req.param("id");
    const called = await source.callInScratch(id, call, signalOf(context, closing));
    return context.json(found(called, `scratch workspace ${id}`));
  });
  app.post("/api/scratch/:id/allow", async (context) => {
    requireActing(context.get("role"));
    const id = context.req.param("id");
    const called = await source.allowInScratch(id, await readBody<ScratchAllow>(context, ALLOW));
    return context.json(found(called, `scratch workspace ${id}`));
  });
  app.delete("/api/scratch/:id", async (context) => {
    requireActing(context.get("role"));
    return context.json({ closed: await source.closeScratch(context.req.param("id")) });
  });
}

function given<Asked extends Readonly<Record<string, string | undefined>>>(asked: Asked) {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Asked]?: string;
  };
}
