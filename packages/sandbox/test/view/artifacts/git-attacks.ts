/** Each tries to have a program of its own started by the user's git. `EVIL` is the program. */
export const GIT_ATTACKS: Readonly<Record<string, string>> = {
  "a hook":
    "cp EVIL .git/hooks/post-checkout; cp EVIL .git/hooks/pre-commit; cp EVIL .git/hooks/post-index-change",
  "settings written by git":
    "git config core.fsmonitor EVIL; git config core.hooksPath $PWD/h; mkdir h; cp EVIL h/pre-commit; git config core.pager EVIL",
  "settings written by an editor": "printf '[core]\\n\\tfsmonitor = EVIL\\n' >>.git/config",
  "settings replaced by another file":
    "cp .git/config c; printf '[core]\\n\\tfsmonitor = EVIL\\n' >>c; mv -f c .git/config || { rm -f .git/config && mv -f c .git/config; }",
  "settings next to the link": "git config -f /run/haft/git/0/config core.fsmonitor EVIL",
  "an include": "printf '[core]\\n\\tfsmonitor = EVIL\\n' >x; git config include.path $PWD/x",
  "a remote that is a program":
    "git config remote.origin.url 'ext::EVIL'; git config branch.main.remote 'ext::EVIL'; git config protocol.ext.allow always",
  "a remote with hooks":
    "git clone -q --bare . new; cp EVIL new/hooks/post-receive; cp EVIL new/hooks/pre-receive; git config remote.origin.url $PWD/new; git config uploadpack.packObjectsHook EVIL",
  "an alias": "git config alias.status '!EVIL'; git config alias.st '!EVIL'",
  "a filter":
    "git config filter.x.clean EVIL; echo '* filter=x' >.gitattributes; git config diff.x.textconv EVIL",
  commondir:
    "cp -r .git /tmp/door-git; git config -f /tmp/door-git/config core.fsmonitor EVIL; cp -rL /tmp/door-git evil-git; echo $PWD/evil-git >.git/commondir",
  "commondir of a working tree":
    "cp -rL .git evil-git; git config -f evil-git/config core.fsmonitor EVIL; echo $PWD/evil-git >.git/worktrees/beside/commondir; mv .git/worktrees/beside x; mkdir .git/worktrees/beside && cp -r x/* .git/worktrees/beside/ && echo $PWD/evil-git >.git/worktrees/beside/commondir",
  "settings of a working tree":
    "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor EVIL; git config -f .git/config.worktree core.fsmonitor EVIL; git config -f .git/worktrees/beside/config.worktree core.fsmonitor EVIL",
  "settings of a submodule":
    "git -C sub config core.fsmonitor EVIL; printf '[core]\\n\\tfsmonitor = EVIL\\n' >>.git/modules/sub/config; cp EVIL .git/modules/sub/hooks/post-checkout",
  "settings of a submodule in a linked working tree":
    "printf '[core]\\n\\tfsmonitor = EVIL\\n' >>.git/worktrees/beside/modules/sub/config; git config -f .git/worktrees/beside/modules/sub/config core.fsmonitor EVIL; cp EVIL .git/worktrees/beside/modules/sub/hooks/pre-commit; cp EVIL .git/worktrees/beside/modules/sub/hooks/post-checkout",
  "a submodule in a new working tree":
    "git worktree add -q -b new new; git -C new -c protocol.file.allow=always submodule -q update --init; git config -f .git/worktrees/new/modules/sub/config core.fsmonitor EVIL; cp EVIL .git/worktrees/new/modules/sub/hooks/pre-commit",
  "a submodule moved":
    "mv .git/modules/sub x; cp -r x .git/modules/sub; git config -f .git/modules/sub/config core.fsmonitor EVIL; mv .git/modules y; cp -r y .git/modules; git config -f .git/modules/sub/config core.fsmonitor EVIL",
  "the .git file of a submodule":
    "git init -q evil; git -C evil config core.fsmonitor EVIL; rm -f sub/.git; echo gitdir: $PWD/evil/.git >sub/.git; rm -rf sub; git init -q sub; git -C sub config core.fsmonitor EVIL",
  "settings of a nested repository":
    "git -C deep/nested config core.fsmonitor EVIL; cp EVIL deep/nested/.git/hooks/pre-commit; printf '[core]\\n\\tfsmonitor = EVIL\\n' >>deep/nested/.git/config",
  "a nested repository moved":
    "mv deep/nested deep/was; mkdir -p deep/nested; git init -q deep/nested; git -C deep/nested config core.fsmonitor EVIL; mv deep was; mkdir -p deep/nested; git init -q deep/nested; git -C deep/nested config core.fsmonitor EVIL",
  "the whole .git moved":
    "mv .git was; git init -q .; git config core.fsmonitor EVIL; cp EVIL .git/hooks/pre-commit",
  "the hooks removed":
    "rm -rf .git/hooks; mv .git/hooks .git/h; mkdir -p .git/hooks; cp EVIL .git/hooks/pre-commit",
  "a new repository":
    "git init -q new; git -C new config core.fsmonitor EVIL; cp EVIL new/.git/hooks/pre-commit; cp EVIL new/.git/hooks/post-checkout",
  "a new repository with another commondir":
    "git init -q new; git init -q o; git -C o config core.fsmonitor EVIL; echo $PWD/o/.git >new/.git/commondir",
  "a new .git file":
    "git init -q --separate-git-dir=$PWD/sep new; git --git-dir=sep config core.fsmonitor EVIL",
  "a new link":
    "git init -q elsewhere; git -C elsewhere config core.fsmonitor EVIL; mkdir new; ln -s ../elsewhere/.git new/.git",
  "a new submodule":
    "git -c protocol.file.allow=always submodule -q add ./. new; git config -f .git/modules/new/config core.fsmonitor EVIL; cp EVIL .git/modules/new/hooks/pre-commit; git -C new config core.fsmonitor EVIL",
  "a repository without a working tree":
    "git init -q --bare new; git -C new config core.fsmonitor EVIL; git -C new config core.bare false; git -C new config core.worktree $PWD",
  "a new working tree":
    "git worktree add -q new; git -C new config core.fsmonitor EVIL; cp -rL .git evil-git; git config -f evil-git/config core.fsmonitor EVIL; echo $PWD/evil-git >.git/worktrees/new/commondir",
  "attributes outside of commits":
    "echo '* filter=x diff=x merge=x' >.git/info/attributes; git config filter.x.clean EVIL; git config merge.x.driver EVIL",
};

/** The same, where the user's settings name files and hooks of the project itself. */
export const SHARED_GIT_ATTACKS: Readonly<Record<string, string>> = {
  "a file that settings include":
    "printf '[core]\\n\\tfsmonitor = EVIL\\n' >>shared.gitconfig; rm -f shared.gitconfig; printf '[core]\\n\\tfsmonitor = EVIL\\n' >shared.gitconfig",
  "a file that an included one includes": "printf '[core]\\n\\tfsmonitor = EVIL\\n' >deeper.gitconfig",
  "a new included file": "printf '[core]\\n\\tfsmonitor = EVIL\\n' >later.gitconfig",
  "hooks of the project":
    "cp EVIL .husky/commit-msg; rm -rf .husky; mkdir .husky; cp EVIL .husky/commit-msg; cp EVIL .husky/pre-commit",
  "hooks of the project in a new working tree":
    "git worktree add -q new; mkdir -p new/.husky; cp EVIL new/.husky/pre-commit; cp EVIL new/.husky/commit-msg",
  "hooks of the project in an existing working tree":
    "cp EVIL .trees/one/.husky/pre-commit; mv .trees/one/.husky x; mkdir .trees/one/.husky; cp EVIL .trees/one/.husky/pre-commit",
};

/** Each tries to have the user's git write to a file of the user's. `THEIRS` is that file. */
export const LINK_ATTACKS: readonly string[] = [
  "COMMIT_EDITMSG",
  "FETCH_HEAD",
  "logs/HEAD",
  "logs/refs/heads/main",
].map((name) => `rm -f .git/${name}; ln -s THEIRS .git/${name}`);
