import { expect } from "vitest";
import { openTestView, testContained } from "./support.ts";

testContained("survives a contained command that ends programs by name, and opens no editor", async () => {
  const { run } = await openTestView();
  for (const selection of ["pkill -9 node", "pkill -9 -f 'vite|node|haft'", "pkill -9 -f no-such-program"]) {
    const { output } = await run(`${selection}; echo REST # ${selection}`);
    expect([selection, output]).toEqual([selection, "REST\n"]);
  }
  const { output } = await run(
    "git init -q r && cd r && git -c user.name=x -c user.email=x@x commit --allow-empty; echo $TERM",
  );
  expect(output).toContain("no editor here: use -m, -F or --no-edit");
  expect(output).toMatch(/dumb\n$/);
});
