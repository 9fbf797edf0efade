import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostWithPage } from "./inspected-host.ts";

/** Colours, a script, a link, what turns text around, and what a terminal would answer or copy. */
const HOSTILE = [
  "\u001b[1;32mok\u001b[0m cart adds an item",
  "<script>window.hacked = true</script><img src=x onerror='window.hacked = true'>",
  "\u001b]8;;https://evil.example/\u0007harmless\u001b]8;;\u0007",
  "user\u202egpj.exe",
  "\u001b]52;c;ZXZpbA==\u0007\u001b[6n\u001b]0;another title\u0007",
  "javascript:alert(1)",
].join("\n");

/** What agents of a host did: ended well and not, again, in the background, and two calls that wait. */
export async function busySessions({ host, folder }: HostWithPage) {
  writeFileSync(join(folder, "hostile.txt"), HOSTILE);
  const main = await host.openSession({ kind: "main", sessionKey: "cli:shop" });
  const call = (name: string, args: object) => main.call({ name, arguments: args });
  await call("read", { path: "src/server.ts" });
  const edited = await call("edit", {
    path: "src/server.ts",
    oldText: "const port = 8080;",
    newText: 'const port = Number(process.env.PORT ?? 8080);\nconst host = "127.0.0.1";',
  });
  await call("write", { path: "notes/todo.md", content: "# To do\n\n- ship it\n" });
  await call("read", { path: "nowhere.txt" });
  await call("read", { path: "src/server.ts" });
  const printed = await call("exec", { command: "cat hostile.txt" });
  await call("grep", { pattern: "port", path: "src" });
  await call("exec", { command: "cat", background: true, pty: true });
  const group = await host.openSession({ kind: "group", sessionKey: "chat:room-1" });
  await group.call({ name: "read", arguments: { path: "hostile.txt" } });
  const waiting = await group.call({ name: "exec", arguments: { command: "ls src && rm -rf build" } });
  const waitingToo = await group.call({ name: "write", arguments: { path: "deploy.md", content: "now\n" } });
  return { main, group, edited, printed, waiting, waitingToo };
}
