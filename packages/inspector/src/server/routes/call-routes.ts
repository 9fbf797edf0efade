import type { Context } from "hono";
import type { ByteRange } from "../../source/inspector-source.ts";
import { type Variables, type App, type AppContext, requireActRole } from "../app-context.ts";
import { requireResource, Query } from "../read-request.ts";

const KIB = 1024;
const MAX_TIME = 8_640_000_000_000_000;
const STATUS = ["pending", "executing", "completed", "failed", "gap"] as const;
const OUTCOMES = ["ok", "error", "blocked", "pending", "cancelled"] as const;
const OF_CALLS = "run session tool status outcome since until path text limit after order seq".split(" ");
const CALL = "/api/runs/:run/calls/:call";

export function addCallRoutes(app: App, { source, tokens, closing }: AppContext): void {
  app.get("/api/about", (context) => {
    const { instance } = tokens;
    return context.json({ ...source.about, role: context.get("role"), instance, now: Date.now() });
  });
  app.get("/api/runs", async (context) => {
    const query = new Query(context, ["session", "limit", "after"]);
    const [session, after] = [query.text("session"), query.text("after")];
    const limit = query.number("limit", 1, 200) ?? 50;
    return context.json(
      await source.runs({
        limit,
        ...(session !== undefined && { session }),
        ...(after !== undefined && { after }),
      }),
    );
  });
  app.get("/api/runs/:run", async (context) => {
    const run = context.req.param("run");
    return context.json(requireResource(await source.run(run), `session ${run}`));
  });
  app.get("/api/calls", async (context) => {
    const query = new Query(context, OF_CALLS);
    const range = {
      run: query.text("run"),
      session: query.text("session"),
      tool: query.text("tool"),
      status: query.choice("status", STATUS),
      outcome: query.choice("outcome", OUTCOMES),
      since: query.number("since", 0, MAX_TIME),
      until: query.number("until", 0, MAX_TIME),
      path: query.text("path"),
      text: query.text("text"),
      limit: query.number("limit", 1, 500),
      after: query.text("after"),
      order: query.choice("order", ["newest", "oldest"]),
      seq: query.number("seq", 1, Number.MAX_SAFE_INTEGER),
    };
    const given = Object.fromEntries(Object.entries(range).filter(([, value]) => value !== undefined));
    return context.json(await source.calls(given, getRequestSignal(context, closing)));
  });
  app.get(CALL, async (context) =>
    context.json(requireResource(await source.call(callOf(context)), "such call")),
  );
  app.get(`${CALL}/trace`, async (context) =>
    context.json(requireResource(await source.trace(callOf(context)), "such call")),
  );
  app.get(`${CALL}/text`, async (context) => {
    const query = new Query(context, ["block", "from", "max"]);
    const page = await source.text(
      { ...callOf(context), block: blockIn(query) },
      parseByteRange(context, query, false),
    );
    return context.json(requireResource(page, "such text"));
  });
  app.get(`${CALL}/output`, async (context) => {
    const stretch = parseByteRange(context, new Query(context, ["from", "max", "wait"]), true);
    const page = await source.output(callOf(context), stretch, getRequestSignal(context, closing));
    return context.json(requireResource(page, "output of such a call"));
  });
  app.get(`${CALL}/image`, async (context) => {
    const block = blockIn(new Query(context, ["block"]));
    const { mimeType, bytes } = requireResource(
      await source.image({ ...callOf(context), block }),
      "such image",
    );
    // Only images keep their content type: others could be a page.
    const type = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(mimeType)
      ? mimeType
      : "application/octet-stream";
    // The memory behind a Buffer contains other data.
    return context.body(Uint8Array.from(bytes).buffer, 200, { "content-type": type });
  });
  app.post(`${CALL}/abort`, async (context) => {
    requireActRole(context.get("role"));
    return context.json({ aborted: await source.abort(callOf(context)) });
  });
}

export function getRequestSignal({ req }: Context, closing: AbortSignal): AbortSignal {
  return AbortSignal.any([req.raw.signal, closing]);
}

export function parseByteRange(
  context: Context<{ Variables: Variables }>,
  query: Query,
  waits: boolean,
): ByteRange {
  return {
    from: query.number("from", 0, Number.MAX_SAFE_INTEGER) ?? 0,
    max: query.number("max", 1, 256 * KIB) ?? 64 * KIB,
    wait: (waits ? query.number("wait", 0, 25_000) : undefined) ?? 0,
    covered: context.get("role") === "look",
  };
}

function blockIn(query: Query): number {
  return query.number("block", 0, 1_000) ?? 0;
}

function callOf({ req }: Context): { runId: string; toolCallId: string } {
  return { runId: req.param("run")!, toolCallId: req.param("call")! };
}
