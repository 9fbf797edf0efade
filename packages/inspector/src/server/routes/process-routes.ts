import { optionsSchema } from "@haft/core/internal";
import type { Context } from "hono";
import type { NamedProcess } from "../../source/inspector-source.ts";
import type { ProcessInput } from "../../wire/api.ts";
import { type App, type AppParts, requireActing } from "../app-parts.ts";
import { found, Query, readBody } from "../read-request.ts";
import { signalOf, stretchIn } from "./call-routes.ts";

const PROCESS = "/api/runs/:run/processes/:id";
const SIZE = { type: "integer", minimum: 1, maximum: 1_000 };
const INPUT = optionsSchema<ProcessInput>(
  {
    text: { type: "string", description: "What is typed." },
    eof: { type: "boolean", description: "The end of input after it." },
  },
  ["text"],
);
const NOTHING = optionsSchema<Record<string, never>>({});
const TERMINAL = optionsSchema<{ cols: number; rows: number }>(
  { cols: { ...SIZE, description: "Characters of a line." }, rows: { ...SIZE, description: "Lines." } },
  ["cols", "rows"],
);

export function addProcessRoutes(app: App, { source, closing }: AppParts): void {
  app.get("/api/processes", async (context) => context.json({ items: await source.processes() }));
  app.get(`${PROCESS}/output`, async (context) => {
    const stretch = stretchIn(context, new Query(context, ["from", "max", "wait"]), true);
    const page = await source.processOutput(processOf(context), stretch, signalOf(context, closing));
    return context.json(found(page, "such process that is open here"));
  });
  app.post(`${PROCESS}/write`, async (context) => {
    requireActing(context.get("role"));
    const input = await readBody<ProcessInput>(context, INPUT);
    return context.json(found(await source.writeToProcess(processOf(context), input), NOT_OPEN));
  });
  app.post(`${PROCESS}/kill`, async (context) => {
    requireActing(context.get("role"));
    await readBody(context, NOTHING);
    return context.json(found(await source.killProcess(processOf(context)), NOT_OPEN));
  });
  app.post(`${PROCESS}/resize`, async (context) => {
    requireActing(context.get("role"));
    const size = await readBody<{ cols: number; rows: number }>(context, TERMINAL);
    const resized = found(await source.resizeProcess(processOf(context), size), NOT_OPEN);
    return context.json({ resized });
  });
}

const NOT_OPEN = "such process whose session is open in this program";

function processOf({ req }: Context): NamedProcess {
  return { runId: req.param("run")!, processId: req.param("id")! };
}
