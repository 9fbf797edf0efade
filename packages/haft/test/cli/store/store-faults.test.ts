import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { getStateFolder, temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { haft, haftHere } from "../../support/haft.ts";

const NOTE =
  /The end of this call could not be written to the ledger: .* Haft retries until the session is closed\. If that fails, the ledger has the call as interrupted, or not at all\./;

/** What a command does to the store of the very session it runs in: in a main session it is not contained. */
async function aStore() {
  const cwd = await temporaryFolder();
  const state = getStateFolder(cwd);
  const aside = join(state, "aside");
  const away = `mkdir '${aside}' && mv '${state}'/haft.db* '${aside}'`;
  const back = `mv '${aside}'/haft.db* '${state}'`;
  return { cwd, aside, away, back };
}

test("reports a call whose end was not recorded, and keeps its promise about it", async () => {
  const { cwd, aside, away } = await aStore();
  const { code, stdout, stderr } = await haft(["tools", "call", "exec", JSON.stringify({ command: away })], {
    cwd,
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(NOTE) });
  expect(stderr).toMatch(
    /The end of 1 call is not recorded: the ledger has it as interrupted, or not at all: /,
  );
  const { stdout: listed } = await haftHere(["ledger", "--state", aside, "--all"], { cwd });
  expect(listed).toMatch(/exec .*INTERRUPTED +unknown/);
});

test("reports when the record is stored later", async () => {
  const { cwd, away, back } = await aStore();
  writeFileSync(join(cwd, "config.yaml"), "onStoreFault: record-later\n");
  const calls = [away, back].map((command) => JSON.stringify({ name: "exec", arguments: { command } }));
  const { stdout, stderr } = await haftHere(["run", "--config", "config.yaml"], {
    cwd,
    input: calls.join("\n"),
  });
  expect(stdout).toMatch(NOTE);
  expect(stderr).toMatch(/The ledger's store works again; \d calls? (is|are) recorded now/);
  const { stdout: listed } = await haftHere(["ledger"], { cwd });
  expect(listed.match(/exec .* ok +committed/g)).toHaveLength(2);
});
