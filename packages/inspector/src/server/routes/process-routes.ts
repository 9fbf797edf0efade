import { optionsSchema } from "@haft/core/internal";
import type { Context } from "hono";
import type { ProcessRef } from "../../source/inspector-source.ts";
import type { ProcessInput } from "../../wire/api.ts";
import { type App, type AppContext, requireActRole } from "../app-context.ts";
import { requireResource, Query, readBody } from "../read-request.ts";
import { getRequestSignal, parseByteRange } from "./call-routes.ts";

const PROCESS = "/api/runs/:run/processes/:id";
const SIZE = { type: "integer", minimum: 1, maximum: 1_000 };
const INPUT = optionsSchema<ProcessInput>(
  {
    text: { type: "string", description: "The input." },
    eof: { type: "boolean", description: "Whether the input ends after it." },
  },
  ["text"],
);
const NOTHING = optionsSchema<Record<string, never>>({});
const TERMINAL = optionsSchema<{ cols: number; rows: number }>(
  { cols: { ...SIZE, description: "Columns of the terminal." }, rows: { ...SIZE, description: "Lines." } },
  ["cols", "rows"],
);

export function addProcessRoutes(app: App, { source, closing }: AppContext): void {
  app.get("/api/processes", async (context) => context.json({ items: await source.processes() }));
  app.get(`${PROCESS}/output`, async (context) => {
    const stretch = parseByteRange(context, new Query(context, ["from", "max", "wait"]), true);
    const page = await source.processOutput(processOf(context), stretch, getRequestSignal(context, closing));
    return context.json(requireResource(page, "such process of a session in this program"));
  });
  app.post(`${PROCESS}/write`, async (context) => {
    requireActRole(context.get("role"));
    const input = await readBody<ProcessInput>(context, INPUT);
    return context.json(requireResource(await source.writeToProcess(processOf(context), input), NOT_OPEN));
  });
  app.post(`${PROCESS}/kill`, async (context) => {
    requireActRole(context.get("role"));
    await readBody(context, NOTHING);
    return context.json(requireResource(await source.killProcess(processOf(context)), NOT_OPEN));
  });
  app.post(`${PROCESS}/resize`, async (context) => {
    requireActRole(context.get("role"));
    const size = await readBody<{ cols: number; rows: number }>(context, TERMINAL);
    const resized = requireResource(await source.resizeProcess(processOf(context), size), NOT_OPEN);
    return context.json({ resized });
  });
}

const NOT_OPEN = "such process of a session in this program";

function processOf({ req }: Context): ProcessRef {
  return { runId: req.param("run")!, processId: req.param("id")! };
}
