import { optionsSchema } from "@haft/core/internal";
import type { PolicyEdit, PolicySave, ReplayRequest, ReplayLine } from "../../wire/api.ts";
import { type App, type AppContext, requireActRole } from "../app-context.ts";
import { toErrorResponse } from "../error-response.ts";
import { requireResource, Query, readBody } from "../read-request.ts";
import { getRequestSignal } from "./call-routes.ts";

const TEXT = { type: "string" };
const EDIT = {
  id: { ...TEXT, description: "The file." },
  text: { ...TEXT, description: "The new text." },
  agent: { ...TEXT, description: "The agent of the matrix." },
};
const TRY = optionsSchema<PolicyEdit>(EDIT, ["id", "text"]);
const REPLAY = optionsSchema<ReplayRequest>(
  {
    ...EDIT,
    run: { ...TEXT, description: "Calls of this session." },
    session: { ...TEXT, description: "Calls of this conversation." },
    since: { type: "integer", minimum: 0, description: "Calls from this time on." },
    limit: { type: "integer", minimum: 1, maximum: 1_000_000, description: "The maximum number of calls." },
  },
  ["id", "text"],
);
const SAVE = optionsSchema<PolicySave>(
  {
    id: { ...TEXT, description: "The file." },
    text: { ...TEXT, description: "The new text of the file." },
    sha256: { ...TEXT, pattern: "^[0-9a-f]{64}$", description: "The hash of the edited text." },
  },
  ["id", "text", "sha256"],
);

export function addPolicyRoutes(app: App, { source, closing }: AppContext): void {
  app.get("/api/policy", async (context) => {
    const agent = new Query(context, ["agent"]).text("agent");
    return context.json(await source.policy(agent === undefined ? {} : { agent }));
  });
  app.get("/api/policy/cell", async (context) => {
    const query = new Query(context, ["kind", "tool", "agent"]);
    const [kind, tool, agent] = [query.requireText("kind"), query.requireText("tool"), query.text("agent")];
    const cell = await source.cell({ kind, tool, ...(agent !== undefined && { agent }) });
    return context.json(requireResource(cell, `tool ${tool}`));
  });
  app.get("/api/policy/file", async (context) => {
    const id = new Query(context, ["id"]).requireText("id");
    return context.json(
      requireResource(await source.policyFile(id, context.get("role") === "look"), `file of rules ${id}`),
    );
  });
  app.post("/api/policy/try", async (context) =>
    context.json(await source.tryPolicy(await readBody<PolicyEdit>(context, TRY))),
  );
  app.get("/api/policy/lint", async (context) => {
    void new Query(context, []);
    return context.json({ lint: await source.policyLint() });
  });
  app.post("/api/policy/lint", async (context) =>
    context.json({ lint: await source.policyLint(await readBody<PolicyEdit>(context, TRY)) }),
  );
  app.post("/api/policy/replay", async (context) => {
    const request = await readBody<ReplayRequest>(context, REPLAY);
    const lines = source.replay(request, getRequestSignal(context, closing));
    return context.body(asLines(lines), 200, { "content-type": "application/x-ndjson; charset=utf-8" });
  });
  app.put("/api/policy/file", async (context) => {
    requireActRole(context.get("role"));
    return context.json(await source.savePolicy(await readBody<PolicySave>(context, SAVE)));
  });
}

const PIECE = 64 * 1024;

/** Works at the reader's speed, but sends first results at once. */
function asLines(lines: AsyncIterable<ReplayLine>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = lines[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let text = "";
        let isOver = false;
        try {
          for (let isPiece = false; !isPiece && !isOver;) {
            const { done, value } = await iterator.next();
            isOver = done === true;
            if (!isOver) text += lineOf(value as ReplayLine);
            isPiece = text.length >= PIECE || (value as ReplayLine | undefined)?.type === "progress";
          }
        } catch (thrown) {
          const { code, message, fix } = toErrorResponse(thrown).body.error;
          text += lineOf({ type: "error", code, message, ...(fix !== undefined && { fix }) });
          isOver = true;
        }
        if (text !== "") controller.enqueue(encoder.encode(text));
        if (isOver) controller.close();
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

function lineOf(line: ReplayLine): string {
  return `${JSON.stringify(line)}\n`;
}
