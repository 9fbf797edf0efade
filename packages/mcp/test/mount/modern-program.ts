// A server that speaks the protocol of 2026, by the SDK.
import { inputRequired, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { appendFileSync } from "node:fs";

const [notes = ""] = process.argv.slice(2);
appendFileSync(notes, `started ${process.pid}\n`);
let description = "Says it again.";

serveStdio(() => {
  const server = new Server(
    { name: "modern", version: "3" },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: ["echo", "change", "ask", "wait", "hang"].map((name) => ({
      name,
      description: name === "echo" ? description : `Does ${name}.`,
      inputSchema: { type: "object" as const, properties: { text: { type: "string" } } },
    })),
  }));
  server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
    appendFileSync(notes, `called ${params.name}\n`);
    switch (params.name) {
      case "change":
        description = String(params.arguments?.["text"]);
        await server.sendToolListChanged();
        return text("changed");
      case "ask":
        return inputRequired({
          inputRequests: {
            name: inputRequired.elicit({
              message: "Your name?",
              requestedSchema: { type: "object", properties: { name: { type: "string" } } },
            }),
          },
        });
      case "wait":
        await ctx.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken: ctx.mcpReq["_meta"]?.progressToken ?? 0, progress: 1, total: 2 },
        });
        return text("waited");
      case "hang":
        await new Promise<void>((done) => ctx.mcpReq.signal.addEventListener("abort", () => done()));
        appendFileSync(notes, "aborted\n");
        return text("late");
      default:
        return text(String(params.arguments?.["text"]));
    }
  });
  return server;
});
