import { findHostProgram } from "@haft/system";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readProgramVersion } from "../../src/programs/host-programs.ts";
import { tempFolder } from "../support.ts";

function aProgram(body: string) {
  const path = join(tempFolder("program"), "some");
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  const { program } = findHostProgram("some", { path });
  return { path, program: program! };
}

test("returns the reason if a program fails, without throwing", async () => {
  expect(await readProgramVersion(aProgram("echo no >&2; exit 3").program)).toMatch(
    /^not known: Command failed/,
  );
  const { path, program } = aProgram("echo 1");
  writeFileSync(path, "#!/bin/sh\necho 2\n");
  expect(await readProgramVersion(program)).toMatch(/^not known: .* is not the file any more/);
});

test("starts a program only once for concurrent callers", async () => {
  const asked = join(tempFolder("asked"), "asked");
  const { program } = aProgram(`echo "$@" >>${asked}; echo some 1.2`);
  expect(await Promise.all([readProgramVersion(program), readProgramVersion(program)])).toEqual([
    "some 1.2",
    "some 1.2",
  ]);
  expect(await readProgramVersion(program)).toBe("some 1.2");
  expect(readFileSync(asked, "utf8")).toBe("--version\n");
});
