import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ExecRunningDetails } from "../../src/exec/exec-result.ts";
import { bench, getResultText } from "../support/bench.ts";

test("shows the end of the output while the command runs", async () => {
  const { exec, root } = bench();
  const seen: string[] = [];
  // It goes on when what it said was shown, however long that takes.
  const onUpdate = (partial: { content: unknown[]; details: unknown }): void => {
    seen.push((partial.details as ExecRunningDetails).tail);
    writeFileSync(join(root, `${seen.length}`), "");
  };
  const shown = (count: number) => `until [ -e ${count} ]; do sleep 0.05; done`;
  await exec({ command: `echo one; ${shown(1)}; echo two; ${shown(2)}` }, { onUpdate });
  expect(seen).toEqual(["one", "one\ntwo"]);
});

test("adds lines in updates that together equal the result", async () => {
  const { exec, root } = bench();
  let added = "";
  let count = 0;
  const onUpdate = (partial: { details: unknown }): void => {
    added += (partial.details as ExecRunningDetails).added ?? "";
    writeFileSync(join(root, `${++count}`), "");
  };
  const shown = (number: number) => `until [ -e ${number} ]; do sleep 0.05; done`;
  // A line and a half, half a character, a bar that draws itself again, the other stream, no end of line.
  const command = [
    "printf 'one\\nhalf'",
    shown(1),
    "printf ' a line\\n\\303'",
    shown(2),
    "printf '\\244\\n10%%\\r'",
    shown(3),
    "printf '50%%\\r100%%\\n'",
    "echo error >&2",
    shown(4),
    "printf last",
  ].join("; ");
  const { details } = await exec({ command }, { onUpdate });
  expect(added).toBe("one\nhalf a line\nä\n100%\nerror\nlast");
  expect((details as { aggregated?: string }).aggregated).toBe(added);
});

test("waits to the end if commands never continue in the background, unless the call decides", async () => {
  const command = "sleep 0.5; echo done";
  const { exec } = bench({ backgroundMs: "never" });
  expect(getResultText(await exec({ command }))).toBe("done");
  expect((await exec({ command, yieldMs: 10 })).details).toMatchObject({ status: "running" });
  expect((await bench({ backgroundMs: 10 }).exec({ command })).details).toMatchObject({
    status: "running",
  });
});
