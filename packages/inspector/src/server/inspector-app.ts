import { Hono } from "hono";
import { inspectorError } from "../errors.ts";
import { requireSameOrigin } from "../guard/same-origin.ts";
import type { App, AppContext, Variables } from "./app-context.ts";
import { toErrorResponse } from "./error-response.ts";
import { createBadRequest } from "./read-request.ts";
import { addApprovalRoutes } from "./routes/approval-routes.ts";
import { addCallRoutes } from "./routes/call-routes.ts";
import { addEventRoute } from "./routes/event-route.ts";
import { addLedgerRoutes } from "./routes/ledger-routes.ts";
import { addPolicyRoutes } from "./routes/policy-routes.ts";
import { addProcessRoutes } from "./routes/process-routes.ts";
import { addToolRoutes } from "./routes/tool-routes.ts";

export function inspectorApp(parts: AppContext): App {
  const { tokens, getServedOrigin, page } = parts;
  const app: App = new Hono<{ Variables: Variables }>();
  app.use(async (context, next) => {
    const { req } = context;
    const isData = req.path.startsWith("/api/");
    requireSameOrigin(
      { host: req.header("host"), origin: req.header("origin"), site: req.header("sec-fetch-site") },
      getServedOrigin(),
      isData,
    );
    await next();
    for (const [name, value] of Object.entries(ANSWER_HEADERS)) context.res.headers.set(name, value);
    if (isData) context.res.headers.set("cache-control", "no-store");
  });
  app.use("/api/*", async (context, next) => {
    context.set("role", tokens.requireRole(context.req.header("authorization")));
    await next();
  });
  app.onError((thrown, context) => {
    const { status, body } = toErrorResponse(thrown);
    return context.json(body, status, ANSWER_HEADERS as Record<string, string>);
  });
  addCallRoutes(app, parts);
  addApprovalRoutes(app, parts);
  addPolicyRoutes(app, parts);
  addToolRoutes(app, parts);
  addProcessRoutes(app, parts);
  addLedgerRoutes(app, parts);
  addEventRoute(app, parts);
  app.all("/api/*", ({ req }) => {
    throw inspectorError("INSPECT_NOT_FOUND", `There is no ${req.method} ${req.path}.`);
  });
  app.get("*", ({ req }) => page.answer(req.path, req.header("accept-encoding")));
  app.all("*", ({ req }) => {
    throw createBadRequest(`${req.method} ${req.path} is not supported.`);
  });
  return app;
}

/** Forbids external resources, inline scripts and frames. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' blob: data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
