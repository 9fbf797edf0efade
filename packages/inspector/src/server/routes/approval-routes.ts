import { optionsSchema } from "@haft/core/internal";
import { maskSecrets } from "@haft/core/internal/records";
import type { DecisionRequest } from "../../wire/api.ts";
import { type App, type AppContext, requireActRole } from "../app-context.ts";
import { readBody } from "../read-request.ts";

const YEAR_MS = 366 * 24 * 60 * 60 * 1_000;

const ANSWER = optionsSchema<DecisionRequest>(
  {
    decision: { enum: ["allow-once", "allow-always", "deny"], description: "The decision." },
    grant: { enum: ["exact", "program"], description: "The kind of grant, with allow-always." },
    forMs: {
      type: "integer",
      minimum: 1,
      maximum: YEAR_MS,
      description: "The duration of the grant in milliseconds, with allow-always.",
    },
  },
  ["decision"],
);

export function addApprovalRoutes(app: App, { source }: AppContext): void {
  app.get("/api/approvals", async (context) => {
    const approvals = await source.approvals();
    // Only a person who decides needs the whole preview.
    return context.json(context.get("role") === "act" ? approvals : maskSecrets(approvals));
  });
  app.post("/api/approvals/:id", async (context) => {
    requireActRole(context.get("role"));
    const given = await readBody<DecisionRequest>(context, ANSWER);
    return context.json(await source.answer(context.req.param("id"), given));
  });
  app.delete("/api/grants/:id", async (context) => {
    requireActRole(context.get("role"));
    return context.json({ revoked: await source.revoke(context.req.param("id")) });
  });
}
