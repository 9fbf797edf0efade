import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { view } from "../../../../test/support/view.ts";
import { SETTLE_MS, sessionBesideUser } from "./session-beside-user.ts";

describe.skipIf(!view.available)("protection of the user's repositories and settings", () => {
  test("covers repositories made, cloned, moved in or added as a submodule between commands", async () => {
    const { user, call, poison, fires } = await sessionBesideUser();
    await call("true");
    user(
      "git init -q; git commit -q --allow-empty -m one; git clone -q . lib; mkdir deep; git init -q deep/in; git init -q ../moved; mv ../moved .; git -c protocol.file.allow=always submodule --quiet add ./lib sub; git worktree add -q tree; git init -q --bare bare",
    );
    await sleep(SETTLE_MS);
    const folders = [".", "lib", "deep/in", "moved", "sub", "tree"];
    await call(
      [".git", "lib/.git", "deep/in/.git", "moved/.git", ".git/modules/sub", "bare"].map(poison).join("\n"),
    );
    expect(fires(...folders)).toEqual([]);
    user("git push -q ./bare HEAD:refs/heads/x 2>&1");
    expect(fires(".")).toEqual([]);
    // What does no harm works as in any other repository, and gets back.
    const answer = await call(
      "git config user.name Agent && git config user.email agent@example.com && echo x >f && git add f && git commit -qm f && git remote add o https://example.com/o.git && git checkout -q -b topic && git branch -m renamed && echo done",
    );
    expect(answer).toContain("done");
    expect(user("git config user.name; git remote get-url o; git log -1 --format=%s")).toBe(
      "Agent\nhttps://example.com/o.git\nf\n",
    );
  });

  test("covers repositories beside more files than the first search reads", async () => {
    const { call, poison, fires } = await sessionBesideUser(
      "mkdir -p projects/app data; git init -q projects/app; cd data; seq 25000 | xargs touch",
    );
    await call(poison("projects/app/.git"));
    expect(fires("projects/app")).toEqual([]);
  });

  test("neither writes nor removes settings that the user makes between commands", async () => {
    const { root, user, call } = await sessionBesideUser();
    await call("true");
    user("echo mine >.mcp.json; mkdir .vscode; echo mine >.vscode/tasks.json");
    await sleep(SETTLE_MS);
    await call("echo x >.mcp.json; rm -f .mcp.json; echo x >.vscode/tasks.json; rm -rf .vscode");
    for (const name of [".mcp.json", ".vscode/tasks.json"])
      expect(readFileSync(join(root, name), "utf8")).toBe("mine\n");
  });

  test("covers hooks that the user's settings name, even in repositories of commands", async () => {
    const { home, user, call, hook, fires } = await sessionBesideUser(
      "git init -q; git commit -q --allow-empty -m one",
      "[core]\n\thooksPath = .githooks\n",
    );
    await call(
      `${hook(".githooks/post-commit")}\ngit init -q new; ${hook("new/.githooks/post-commit")}\ngit worktree add -q tree; ${hook("tree/.githooks/post-commit")}`,
    );
    expect(fires(".", "new", "tree")).toEqual([]);
    // Changed between two commands.
    user(`git config --file ${home}/.gitconfig core.hooksPath tools/hooks`);
    await sleep(SETTLE_MS);
    await call(`${hook("tools/hooks/post-commit")}\n${hook("new/tools/hooks/post-commit")}`);
    expect(fires(".", "new", "tree")).toEqual([]);
    // The repository's own.
    user(`git config --file ${home}/.gitconfig --unset core.hooksPath; git config core.hooksPath own-hooks`);
    await sleep(SETTLE_MS);
    await call(hook("own-hooks/post-commit"));
    expect(fires(".")).toEqual([]);
  });

  test("covers existing and missing targets of the user's links", async () => {
    const { user, call } = await sessionBesideUser(
      "ln -s local/envrc .envrc; ln -s local/code .vscode; ln -s hop .mcp.json; ln -s docs/m hop; mkdir docs shared .claude; echo mine >docs/m; echo mine >shared/s; ln -s ../shared/s .claude/settings.json; ln -s ../none/x .claude/other.json",
    );
    await call("true");
    await call(
      "mkdir -p local/code none; echo evil >local/envrc; echo evil >local/code/tasks.json; echo evil >docs/m; rm hop; echo evil >hop; echo evil >shared/s; echo evil >none/x; echo fine >local/other",
    );
    const seen = user("cat .envrc .vscode/tasks.json .mcp.json .claude/*.json docs/m local/other 2>&1");
    expect(seen).not.toContain("evil");
    expect(seen.match(/mine/g)).toHaveLength(2);
    expect(seen).toContain("fine");
  });
});

describe.skipIf(!view.available)("search for artifacts of commands", () => {
  test("finds repositories that are split by commondir or incomplete", async () => {
    const { user, call, poison, fires } = await sessionBesideUser();
    await call(
      `mkdir -p store/{objects,refs/heads} sub/.git evil other/objects other/refs linked/.git; echo 'ref: refs/heads/main' | tee sub/.git/HEAD evil/HEAD
echo ../../store >sub/.git/commondir; echo ../store >evil/commondir; cp -r store other
ln -s refs/heads/main linked/.git/HEAD; mkdir -p linked/.git/{objects,refs}
mkdir -p later/.git
${["store", "linked/.git", "later/.git"].map(poison).join("\n")}`,
    );
    // `git init` completes what a command began.
    user(
      "git init -q later; git init -q own; cd own; git commit -q --allow-empty -m x; git push -q ../evil HEAD:refs/heads/x 2>&1",
    );
    expect(fires("sub", "evil", "linked", "later")).toEqual([]);
  });

  test("finds artifacts below names that are not UTF-8 and in folders like bare repositories", async () => {
    const { user, call, poison, fires } = await sessionBesideUser();
    const names = ["$'q\\xff'/in", "x/p", "x/objects/p", "x/refs/p"];
    await call(
      `mkdir -p x/{objects,refs}; echo 'ref: refs/heads/main' >x/HEAD
for at in ${names.join(" ")}; do mkdir -p $at/.vscode; echo evil >$at/.vscode/tasks.json; git init -q $at; cd $at; ${poison(".git")}; cd - >/dev/null; done`,
    );
    expect(fires(...names)).toEqual([]);
    expect(user("find . -name tasks.json")).toBe("");
  });

  test("protects the user's files below a name that is not UTF-8", async () => {
    const { user, call, poison, fires } = await sessionBesideUser(
      "mkdir -p $'q\\xff'/.vscode; echo mine >$'q\\xff'/.vscode/tasks.json; git init -q $'q\\xff'/in",
    );
    await call("true");
    await call(`cd $'q\\xff'; echo evil >.vscode/tasks.json; cd in; ${poison(".git")}`);
    expect(fires("$'q\\xff'/in")).toEqual([]);
    expect(user("cat $'q\\xff'/.vscode/tasks.json")).toBe("mine\n");
  });
});

describe.skipIf(!view.available)("settings that are planted again and again", () => {
  test("end only the process that writes them, with a notice to a person", async () => {
    const { root, call, warned, answers } = await sessionBesideUser();
    await call(
      `(while :; do echo tick >>ticks; sleep 0.02; done) >/dev/null 2>&1 &
setsid bash -c 'while :; do mkdir -p .vscode; echo x >.vscode/tasks.json; sleep 0.02; done' >/dev/null 2>&1 &
true`,
    );
    await vi.waitFor(() => expect(warned.join()).toContain("Ended: "), { timeout: 60_000 });
    expect(warned.join()).toMatch(/Ended: the .*process.* that wrote it again and again \(bash -c while/);
    const answer = await call(
      "wc -c <ticks; while [ $(wc -c <ticks) = $(wc -c <ticks; sleep 0.1) ]; do :; done; echo goes on",
    );
    // It may end before any of these answers.
    expect(answers.join("\n")).toContain("Ended: ");
    expect(answer).toContain("goes on");
    await call("true");
    expect(existsSync(join(root, ".vscode"))).toBe(false);
  });
});
