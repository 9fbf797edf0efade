import { analyzeCommand } from "@haft/commands";
import { expect, test } from "vitest";

/** Lines of coding agents with several commands. Their programs are known before they run, also in a view, whose files are unknown. */
test.each([
  ["if [ -f package-lock.json ]; then npm ci; else npm install; fi", "[ npm npm"],
  ["until curl -sf http://localhost:3000/health; do sleep 1; done", "curl sleep"],
  ["npm run dev & sleep 3; curl -s localhost:3000", "npm sleep curl"],
  ["python3 server.py > server.log 2>&1 &", "python3"],
  ["CI=1 npm test", "npm"],
  ["NODE_ENV=production npm run build", "npm"],
  ["set -e; npm run lint; npm test", "set npm npm"],
  ["npm test > test.log 2>&1 || tail -50 test.log", "npm tail"],
  ['npm test; echo "exit code: $?"', "npm echo"],
  ["(cd src && npm test) && echo done", "cd npm echo"],
])("are clear: %s", async (line, names) => {
  const { unclear, commands } = await analyzeCommand(line, { cwd: "/work" });
  expect(unclear).toBeUndefined();
  expect(commands.map(({ name }) => name).join(" ")).toBe(names);
});
