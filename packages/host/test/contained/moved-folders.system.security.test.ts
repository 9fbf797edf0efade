import { describe, expect, test } from "vitest";
import { view } from "../../../../test/support/view.ts";
import { sessionBesideUser } from "./session-beside-user.ts";

const REPOSITORY = "git init -q; git commit -q --allow-empty -m one; rm -r .git/hooks";

describe.skipIf(!view.available)(
  "artifacts that a command moves into place with their folder are quarantined",
  () => {
    test("settings from before the session or from an earlier session", async () => {
      const { user, call, nextSession } = await sessionBesideUser(
        "mkdir -p docs/hooks tools; echo evil >docs/hooks/a.json; echo evil >tools/config.toml",
      );
      await call(
        "mkdir -p node_modules/a/.vscode node_modules/b/.vscode; echo evil | tee node_modules/{a,b}/.vscode/tasks.json",
      );
      await nextSession();
      await call("mv docs .github; mv tools mise; mv node_modules/a project; mv node_modules modules");
      const paths =
        ".github/hooks/a.json mise/config.toml project/.vscode/tasks.json modules/b/.vscode/tasks.json";
      expect(user(`cat ${paths} 2>/dev/null`)).toBe("");
    });

    test("stay if the user moves their folder while a command runs", async () => {
      const { user, call } = await sessionBesideUser(
        "mkdir -p one/.vscode; echo mine >one/.vscode/tasks.json",
      );
      await call("(until [ -e two ]; do sleep 0.05; done; sleep 0.2; echo >seen) >/dev/null 2>&1 & true");
      user("mv one two; until [ -e seen ]; do sleep 0.05; done");
      await call("echo evil >two/.vscode/tasks.json");
      expect(user("cat two/.vscode/tasks.json")).toBe("mine\n");
    });

    test("are quarantined if they are hooks, rebase steps, submodules or repositories of an earlier session", async () => {
      const { user, call, nextSession, hook, poison, fires } = await sessionBesideUser(
        `${REPOSITORY}; mkdir other`,
      );
      await call(`${hook(".git/a/post-commit")}
mkdir .git/b; echo 'exec touch evil' >.git/b/git-rebase-todo
git init -q --bare .git/c/sub; ${poison(".git/c/sub")}
mkdir -p other/.git/d; git init -q other/.git/d/in; ${poison("other/.git/d/in/.git")}`);
      await nextSession();
      await call("cd .git; mv a hooks; mv b rebase-merge; mv c modules; cd ../other; mv .git/d made");
      user(
        "mkdir sub; echo 'gitdir: ../.git/modules/sub' >sub/.git; git -C .git/modules/sub config core.bare false",
      );
      expect(fires(".", "sub", "other/made/in")).toEqual([]);
      expect(user("cat .git/rebase-merge/git-rebase-todo 2>&1")).not.toContain("evil");
    });

    test("are quarantined in a submodule beyond the limit of searched folders", async () => {
      const { user, call, nextSession, poison, fires } = await sessionBesideUser(
        `${REPOSITORY}; mkdir sub; echo 'gitdir: ../.git/modules/zz' >sub/.git`,
      );
      await call(
        `mkdir .git/modules; (cd .git/modules; mkdir $(seq 6000)); git init -q --bare .git/modules/zz; ${poison(".git/modules/zz")}`,
      );
      // The end of a session waits until all was looked at.
      await nextSession();
      user("git -C .git/modules/zz config core.bare false");
      expect(fires("sub")).toEqual([]);
    });
  },
);

describe.skipIf(!view.available)("links of commands", () => {
  test("are quarantined if they lead into folders of git, including later folders, or into caches", async () => {
    const { user, home, call, poison, fires } = await sessionBesideUser(
      `${REPOSITORY}; mkdir -p $HOME/.cargo/registry`,
      "",
      { caches: ["~/.cargo/registry"] },
    );
    await call("mkdir x; ln -s x/.git/later later");
    const paths = [".git/stuff", "x/.git/stuff", "x/.git/later", `${home}/.cargo/registry/stuff`];
    await call(`mkdir x/.git
for at in ${paths.join(" ")}; do git init -q $at; mkdir $at/.vscode; echo evil >$at/.vscode/tasks.json; done
${paths.map((at) => poison(`${at}/.git`)).join("\n")}
ln -s .git/stuff a; ln -s x/.git/stuff b; ln -s ${home}/.cargo/registry/stuff c`);
    const links = ["a", "b", "c", "later"];
    expect(fires(...links)).toEqual([]);
    expect(user(`cat ${links.map((link) => `${link}/.vscode/tasks.json`).join(" ")} 2>/dev/null`)).toBe("");
  });

  test("are quarantined if they give an ordinary folder the name of a settings folder", async () => {
    const { user, call } = await sessionBesideUser(
      "mkdir -p docs/hooks shared; echo evil >docs/hooks/a.json; ln -s shared .vim; ln -s docs plain",
    );
    await call(
      "ln -s docs .github; mkdir tools cfg cfg/mise; echo evil | tee tools/config.toml cfg/mise/config.toml shared/coc-settings.json; ln -s tools mise; ln -s cfg .config",
    );
    const paths = ".github/hooks/a.json mise/config.toml .config/mise/config.toml .vim/coc-settings.json";
    expect(user(`cat ${paths} 2>/dev/null`)).toBe("");
    // These are no settings by themselves.
    expect(user("cat plain/hooks/a.json tools/config.toml")).toBe("evil\nevil\n");
  });

  test("are protected if the user made them and they lead to a folder with settings", async () => {
    const { user, call } = await sessionBesideUser(
      "mkdir -p docs/hooks; echo mine >docs/hooks/a.json; ln -s docs .github",
    );
    await call("true");
    await call("echo evil >docs/hooks/a.json; rm -rf docs/hooks; echo fine >docs/b");
    expect(user("cat .github/hooks/a.json docs/b")).toBe("mine\nfine\n");
  });
});

describe.skipIf(!view.available)("settings that are planted again and again", () => {
  test("are removed even if each planting process starts a successor", async () => {
    const { user, warned, call } = await sessionBesideUser();
    await call(`cat >plant.sh <<'END'
mkdir -p .idea; echo evil >.idea/x; sleep 0.02; setsid bash plant.sh & exit
END
setsid bash plant.sh >/dev/null 2>&1 & true`);
    user("until [ -e .idea ] || [ $((n++)) -gt 100 ]; do sleep 0.05; done");
    await expect.poll(() => warned.join(), { timeout: 60_000 }).toContain("Ended: ");
    // Whatever its session of processes is by then.
    const answer = await call(
      "for i in $(seq 300); do n=$(cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'plant[.]sh'); [ $n = 0 ] && break; sleep 0.1; done; echo left $n",
    );
    expect(answer).toContain("left 0");
    await expect.poll(() => user("cat .idea/x 2>/dev/null"), { timeout: 60_000 }).toBe("");
  });
});
