/**
 * What a command does to the places that Haft mounts, mends, looks at and moves aside, as fast as it can: Python, given the number of
 * changes, a seed, and a folder outside that links lead to. Prints how many it made.
 */
export const SWAPS = `
import os, random, shutil, sys, time
count, seed, out, evil = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
chance = random.Random(seed)
def write(path, text):
    with open(path, "a" if chance.random() < 0.5 else "w") as file: file.write(text)
def gone(path):
    if os.path.islink(path) or not os.path.isdir(path): os.unlink(path)
    else: shutil.rmtree(path)
CONFIG = "[core]\\n\\tfsmonitor = " + evil + "\\n\\thooksPath = " + os.path.dirname(evil) + "\\n[user]\\n\\tname = Somebody\\n"
HELD = [".git/config", ".git/hooks", ".git", ".vscode", ".vscode/settings.json", "sub/.git", ".git/modules/sub/config", ".git/modules/sub/hooks",
  ".git/modules", ".git/modules/sub", ".git/config.worktree", ".git/config.lock", "/run/haft/git/0/config", "/run/haft/git/0", "/run/haft/git/1/config"]
LATER = [".envrc", ".claude", ".mcp.json", "new", "new/.git", "new/.vscode", "deep/new/.vscode", "deep/new", "deep", ".git/commondir", ".git/COMMIT_EDITMSG",
  ".git/logs/HEAD", ".git/logs", ".git/worktrees", ".git/worktrees/x", ".git/modules/other", "new/.git/hooks", "new/.git/config", ".husky"]
def change(path):
    kind = chance.randrange(9)
    folder = os.path.dirname(path)
    if folder and not os.path.lexists(folder): os.makedirs(folder)
    if kind == 0: write(path, CONFIG if chance.random() < 0.7 else "x")
    elif kind == 1: gone(path)
    elif kind == 2: os.symlink(out, path)
    elif kind == 3: os.symlink(os.path.join(out, os.path.basename(path)), path)
    elif kind == 4: os.rename(path, path + ".was")
    elif kind == 5: os.rename(path + ".was", path)
    elif kind == 6: os.makedirs(path)
    elif kind == 7:
        write("made", CONFIG); os.chmod("made", 0o755); os.rename("made", path)
    else:
        other = chance.choice(LATER); os.rename(path, other)
def repository():
    shutil.rmtree("new", ignore_errors=True)
    for name in ["objects", "refs", "hooks"]: os.makedirs("new/.git/" + name)
    for name in ["HEAD", "config"]: write("new/.git/" + name, "ref: refs/heads/main\\n" if name == "HEAD" else CONFIG)
    shutil.copy(evil, "new/.git/hooks/pre-commit")
for at in range(count):
    try:
        if at % 50 == 0: repository()
        change(chance.choice(HELD if chance.random() < 0.5 else LATER))
    except OSError: pass
    except shutil.Error: pass
    time.sleep(chance.random() * 0.01)
print("SWAPPED", count)
`;
