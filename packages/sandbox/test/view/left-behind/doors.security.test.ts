import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { aProject, onHost, testContained } from "../git/contained.ts";
import { DOORS, LINKS, SHARED_DOORS } from "./doors.ts";
import { aUsersProject, lookedAfter } from "./looked-after.ts";

/** There is nothing of the kind outside of a view. */
const ONLY_INSIDE = ["settings beside the link"];

describe("git on the host starts nothing that a contained command put there", () => {
  for (const [name, attack] of Object.entries({ ...DOORS, ...SHARED_DOORS })) {
    const isShared = name in SHARED_DOORS;
    testContained(name, async () => {
      if (!ONLY_INSIDE.includes(name)) {
        const open = aUsersProject(isShared);
        onHost(open.root, attack.replaceAll("EVIL", open.evil));
        expect({ ran: open.userWorks(), without: "walls" }).toEqual({ ran: true, without: "walls" });
      }
      const project = aUsersProject(isShared);
      const { call } = await lookedAfter(project.root);
      for (const time of ["first", "second"]) {
        const { code, output, notices } = await call(
          `{ ${attack.replaceAll("EVIL", project.evil)}; } 2>&1; true`,
        );
        expect({ code, output }).toMatchObject({ code: 0 });
        const said = [output, ...notices].join("\n");
        expect({ ran: project.userWorks(), time, said }).toEqual({ ran: false, time, said });
      }
      // And nothing is wrong with the user's own.
      expect(onHost(project.root, "git rev-parse HEAD && git fsck 2>&1")).toMatchObject({ code: 0 });
    });
  }
});

describe("git on the host writes nowhere else by a link that a contained command put there", () => {
  for (const attack of LINKS) {
    testContained(attack, async () => {
      for (const isOpen of [true, false]) {
        const project = aUsersProject();
        const theirs = join(project.folder, "theirs");
        writeFileSync(theirs, "as it was\n");
        const command = attack.replaceAll("THEIRS", theirs);
        if (isOpen) onHost(project.root, command);
        else {
          const { call } = await lookedAfter(project.root);
          await call(command);
        }
        project.userWorks();
        expect({ isOpen, isKept: readFileSync(theirs, "utf8") === "as it was\n" }).toEqual({
          isOpen,
          isKept: !isOpen,
        });
      }
    });
  }
});

testContained("hooks that were not there are moved aside, wherever they are made", async () => {
  const project = aUsersProject();
  const { root } = aProject("without-hooks");
  onHost(root, "rm -rf .git/hooks");
  const { call } = await lookedAfter(root);
  const { left } = await call(`mkdir .git/hooks; cp ${project.evil} .git/hooks/pre-commit`);
  expect(left.out.map(({ path }) => path)).toEqual([join(root, ".git/hooks/pre-commit")]);
  expect(existsSync(left.out[0]!.kept)).toBe(true);
  onHost(root, "git commit -q --allow-empty -m user");
  expect(existsSync(project.canary)).toBe(false);
  expect(readdirSync(join(root, ".git/hooks"))).toEqual([]);
});
