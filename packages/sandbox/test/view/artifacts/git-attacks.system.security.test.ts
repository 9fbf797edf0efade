import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pickShare } from "../../../../../test/support/share.ts";
import { createProject, onHost, testContained } from "../git/contained.ts";
import { GIT_ATTACKS, LINK_ATTACKS, SHARED_GIT_ATTACKS } from "./git-attacks.ts";
import { createUserProject, openScannedProject } from "./scanned-project.ts";

/** There is nothing of the kind outside of a view. */
const ONLY_INSIDE = ["settings next to the link"];

/**
 * Doors that can be open at once, so that one user's work passes by all of them: each leads to a program of its own, and
 * without walls every one of these runs.
 */
const GROUPS: readonly (readonly string[])[] = [
  [
    "a hook",
    "settings written by an editor",
    "an alias",
    "a filter",
    "a remote that is a program",
    "settings of a submodule",
    "settings of a nested repository",
    "settings of a submodule in a linked working tree",
    "a new repository",
  ],
  [
    "a submodule moved",
    "a nested repository moved",
    "a new .git file",
    "attributes outside of commits",
    "a remote with hooks",
    "settings written by git",
  ],
  [
    "the .git file of a submodule",
    "a new link",
    "a repository without a working tree",
    "settings next to the link",
    "settings replaced by another file",
  ],
  ["a new repository with another commondir", "commondir of a working tree"],
  ["the hooks removed", "a new submodule", "settings of a working tree"],
  ["commondir"],
  ["the whole .git moved"],
  ["a new working tree", "an include"],
  ["a submodule in a new working tree"],
];
const SHARED_GROUPS: readonly (readonly string[])[] = [
  ["a file that settings include", "hooks of the project"],
  ["a file that an included one includes", "hooks of the project in a new working tree"],
  ["a new included file", "hooks of the project in an existing working tree"],
];

describe("attacks by files that git on the host would run", () => {
  const all = { ...GIT_ATTACKS, ...SHARED_GIT_ATTACKS };
  const groups = [...GROUPS, ...SHARED_GROUPS];
  test("covers every attack with a group", () => {
    expect(groups.flat().toSorted()).toEqual(Object.keys(all).toSorted());
  });
  // Some groups, and one door alone; all of them, and each alone, in a long campaign.
  const alone = pickShare(Object.keys(all), Object.keys(all).length).map((name) => [name]);
  for (const group of [...pickShare(groups, 4), ...alone]) {
    testContained(group.join(" · "), async () => {
      const isShared = group.every((name) => name in SHARED_GIT_ATTACKS);
      const made = group.map((_name, at) => `new-${at}`);
      const attack = (at: number, { programs }: { programs: readonly { evil: string }[] }) =>
        all[group[at]!]!.replaceAll("EVIL", programs[at]!.evil).replaceAll(/\bnew\b/g, made[at]!);

      const open = createUserProject(isShared, group.length);
      for (const at of group.keys()) onHost(open.root, attack(at, open));
      const ranWithoutProtection = open.userWorks(made);
      expect(group.filter((_name, at) => !ranWithoutProtection[at])).toEqual(
        group.filter((name) => ONLY_INSIDE.includes(name)),
      );

      const project = createUserProject(isShared, group.length);
      const { call } = await openScannedProject(project.root);
      for (const time of ["first", "second"]) {
        const messages: string[] = [];
        for (const [at, name] of group.entries()) {
          const { code, output, notices } = await call(`{ ${attack(at, project)}; } 2>&1; true`);
          expect({ name, code, output }).toMatchObject({ code: 0 });
          messages.push(`${name}:`, output, ...notices);
        }
        const ran = project.userWorks(made);
        expect({ ran: group.filter((_name, at) => ran[at]), time, said: messages }).toEqual({
          ran: [],
          time,
          said: messages,
        });
      }
      expect(onHost(project.root, "git rev-parse HEAD && git fsck 2>&1")).toMatchObject({ code: 0 });
    });
  }
});

describe("attacks by links that git on the host would write through", () => {
  testContained.for([
    ["succeed without protection", true],
    ["fail in a view", false],
  ] as const)("%s", async ([, isOpen]) => {
    const project = createUserProject();
    const files = LINK_ATTACKS.map((attack, at) => ({
      attack,
      theirs: join(project.folder, `theirs-${at}`),
    }));
    for (const { theirs } of files) writeFileSync(theirs, "as it was\n");
    const command = files.map(({ attack, theirs }) => attack.replaceAll("THEIRS", theirs)).join("\n");
    if (isOpen) onHost(project.root, command);
    else {
      const { call } = await openScannedProject(project.root);
      await call(command);
    }
    project.userWorks();
    const written = files.filter(({ theirs }) => readFileSync(theirs, "utf8") !== "as it was\n");
    expect(written.map(({ attack }) => attack)).toEqual(isOpen ? LINK_ATTACKS : []);
  });
});

testContained("moves new hooks aside in every location", async () => {
  const project = createUserProject();
  const { root } = createProject("without-hooks");
  onHost(root, "rm -rf .git/hooks");
  const { call } = await openScannedProject(root);
  const { left } = await call(`mkdir .git/hooks; cp ${project.programs[0]!.evil} .git/hooks/pre-commit`);
  expect(left.quarantined.map(({ path }) => path)).toEqual([join(root, ".git/hooks/pre-commit")]);
  expect(existsSync(left.quarantined[0]!.kept)).toBe(true);
  onHost(root, "git commit -q --allow-empty -m user");
  expect(existsSync(project.programs[0]!.canary)).toBe(false);
  expect(readdirSync(join(root, ".git/hooks"))).toEqual([]);
});
