import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { haftCommand } from "../../../../../test/support/build-under-test.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { canMount } from "../../durability/faults/small-disk.ts";
import { haft } from "../../support/haft.ts";

/** Nothing but `HOME` says where things are. */
const UNSAID = { HAFT_STATE_DIR: "", XDG_STATE_HOME: "", XDG_CONFIG_HOME: "", HAFT_CONFIG: "" };

/** One that looks, one that opens a session, one that serves, one that would write. */
const COMMANDS = [
  ["ledger"],
  ["tools"],
  ["inspect"],
  ["tools", "call", "write", '{"path":"b","content":"x"}'],
];

async function setUp() {
  const cwd = await temporaryFolder();
  writeFileSync(join(cwd, "file"), "mine");
  // What an agent can write where a relative HOME leads to.
  mkdirSync(join(cwd, "home/.config/haft"), { recursive: true });
  writeFileSync(join(cwd, "home/.config/haft/haft.config.yaml"), "policy: { deny: [read] }\n");
  return cwd;
}

describe.each([["a file", (cwd: string) => join(cwd, "file")]])("with the HOME %s", (_, homeIn) => {
  test.each(COMMANDS)("haft %s prints the state folder and a fix", async (...line) => {
    const cwd = await setUp();
    const HOME = homeIn(cwd);
    const { code, stderr } = await haft(line, { cwd, env: { ...UNSAID, HOME } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/\[STATE_FOLDER_FAILED\]\n$/),
    });
    expect(stderr).toContain(
      `haft: Haft stores its state in ${HOME}/.local/state/haft, because of HOME; it `,
    );
    expect(stderr).toContain("\nSet HAFT_STATE_DIR to the absolute path of a folder");
  });

  test("a state folder replaces it, except for the configuration", async () => {
    const cwd = await setUp();
    const env = { ...UNSAID, HOME: homeIn(cwd), HAFT_STATE_DIR: `${cwd}-state` };
    for (const line of [["tools"], ["tools", "--all"], ["config", "show"], ["tools", "call", "ls", "{}"]])
      expect({ line, ...(await haft(line, { cwd, env })) }).toMatchObject({ code: 0, stderr: "" });
  });
});

describe.each([
  ["home", 'HOME is "home", which is another folder'],
  ["", "HOME is empty."],
])("with the HOME %j", (HOME, why) => {
  test("there is no state", async () => {
    const cwd = await setUp();
    const { code, stderr } = await haft(["tools"], { cwd, env: { ...UNSAID, HOME } });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`haft: ${why}`) });
    expect(stderr).toMatch(/\nSet HAFT_STATE_DIR to .*\[PATH_RELATIVE\]\n$/);
  });

  test("its configuration is ignored, and none is written", async () => {
    const cwd = await setUp();
    const env = { ...UNSAID, HOME, HAFT_STATE_DIR: `${cwd}-state` };
    for (const line of [["tools"], ["ledger"], ["config", "init", "--yes"]]) {
      const { code, stderr } = await haft(line, { cwd, env });
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`haft: ${why}`) });
      expect(stderr).toMatch(/\nSet HOME to .*, or XDG_CONFIG_HOME to .*\[PATH_RELATIVE\]\n$/);
    }
    expect(existsSync(join(cwd, ".config"))).toBe(false);
    const unread = await haft(["tools", "--no-config"], { cwd, env });
    expect(unread).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ *read\b/m) });
  });
});

// In a user namespace this process is one that the system does not know.
test.skipIf(!canMount)("reports an unknown user without HOME", async () => {
  const cwd = await setUp();
  const { HOME: _, ...known } = process.env;
  const unknown = ["--user", "--map-user=54321", "--map-group=54321", ...haftCommand];
  for (const [line, why] of [
    [["tools"], /^haft: HOME is not set, and this user has no home folder.*\nSet HAFT_STATE_DIR to .*\n$/],
    [
      ["tools", "--state", `${cwd}-state`, "--no-config"],
      /^haft: HOME is not set, and the system knows no home folder.*\n$/,
    ],
    [["guard", "status"], /^haft: HOME is not set, and the system knows no home folder.*\n$/],
  ] as const) {
    const env = { ...known, ...UNSAID };
    const { stderr, status } = spawnSync("unshare", [...unknown, ...line], { cwd, env, encoding: "utf8" });
    expect({ line, stderr }).toEqual({ line, stderr: expect.stringMatching(why) });
    expect(status).not.toBe(0);
  }
});
