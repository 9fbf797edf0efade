import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createDirectoryJournal } from "../../src/changes/journal/directory-journal.ts";
import { failure, temporaryFolder } from "../support/tool-context.ts";

it("reports an unusable state folder with the option that selects another", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  const folder = join(file, "journal");
  const error = await failure(createDirectoryJournal(folder).list());
  expect(error).toMatchObject({ code: "JOURNAL_FAILED", receipt: "none", details: { folder } });
  expect(error.message).toContain(`${folder} cannot be used: a file stands where its folder should be.`);
  expect(error.fix).toContain("`--state DIR`");
});
