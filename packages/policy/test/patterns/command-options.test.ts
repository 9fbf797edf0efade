import { describe, expect, test } from "vitest";
import {
  compileCommandPattern,
  restrictsCommand,
  permitsCommand,
} from "../../src/patterns/command-pattern.ts";
import { command } from "../fixtures.ts";

function compile(pattern: string) {
  const compiled = compileCommandPattern(pattern);
  if ("message" in compiled) throw new Error(compiled.message);
  return compiled;
}
const holds = (pattern: string, text: string) => restrictsCommand(compile(pattern), command(text));

describe("a restricting rule", () => {
  test.each<[pattern: string, commands: string[]]>([
    [
      "rm -rf *",
      [
        "rm -rf x",
        "rm -fr x",
        "rm -r -f x",
        "rm -f -R x y",
        "rm -Rf x",
        "rm x -rf",
        "rm --recursive --force x",
        "rm --force x --recursive",
        "rm --recurs --forc x",
        "rm -rvf x",
        "rm -rf -- -x",
        "rm -r --force -- x",
        "/bin/rm -f -r x",
        "busybox rm -fr x",
        "sudo rm -fr x",
        "sudo -u root rm -r -f x",
        "sudo -n rm -fr x",
        "env A=b rm -fr x",
        "command rm -f -r x",
        "sudo env A=b nohup rm -fr x",
      ],
    ],
    ["rm --recursive --force *", ["rm -rf x", "rm -fR x"]],
    ["rm -r*", ["rm -fr x", "rm --recursive x"]],
    [
      "git push --force *",
      [
        "git push -f",
        "git push -f origin main",
        "git push origin main --force",
        "git push origin +main",
        "git push --mirror",
        "git -C sub push -f",
        "git -c a.b=c push --forc",
        "git push -uf origin main",
      ],
    ],
    ["git push --force*", ["git push -f", "git push --force-with-lease", "git push origin -f"]],
    ["git push -f *", ["git push --force origin main"]],
    [
      "git push --delete *",
      ["git push origin :main", "git push origin +:main", "git push --mirror", "git push -d o x"],
    ],
    ["git push --mirror *", ["git push --mirror o"]],
    ["git reset --hard *", ["git reset HEAD~1 --hard", "git reset -q --hard", "git --no-pager reset --har"]],
    ["git clean -fd *", ["git clean -d -f", "git clean -xdf", "git clean --force -d"]],
    ["git branch -D *", ["git branch -d -f main", "git branch --delete --force main", "git branch main -D"]],
    ["git commit --no-verify *", ["git commit -n -m x", "git commit -anm x", "git commit -m x --no-verif"]],
    ["chmod -R *", ["chmod 777 . -R", "chmod --recursive 777 .", "chmod -vR 777 ."]],
    ["chmod -R 777 *", ["chmod 777 -R .", "chmod --recursive 777 a b"]],
    [
      "curl -d *",
      [
        "curl --data x https://a",
        "curl -dx https://a",
        "curl https://a -sd x",
        "curl --data-binary @f https://a",
      ],
    ],
    ["curl -X POST *", ["curl --request POST https://a", "curl -XPOST https://a", "curl https://a -sX POST"]],
    ["bash -c *", ["bash -lc x", "bash -xec x"]],
    ["node -e *", ["node --eval x", "node --eval=x"]],
    ["find * -delete", ["find . -delete -print"]],
    ["sed -i *", ["sed -i.bak s/a/b/ f", "sed -ni p f", "sed --in-place=.x s/a/b/ f"]],
    ["npm install -g *", ["npm install x --global", "npm install --global x"]],
    ["docker rm -f *", ["docker rm --force x", "docker --context a rm -vf x"]],
  ])("matches every spelling of %s", (pattern, commands) => {
    for (const text of commands) expect([text, holds(pattern, text)]).toEqual([text, "yes"]);
  });

  test.each<[pattern: string, commands: string[]]>([
    [
      "rm -rf *",
      [
        "rm x",
        "rm -r x",
        "rm -f x",
        "rm -- -rf",
        "rm -i x",
        "rm --recursive x",
        "rmdir -rf x",
        "sudo echo rm -rf x",
      ],
    ],
    [
      "git push --force *",
      ["git push", "git push --force-with-lease", "git fetch -f", "git push -o f origin"],
    ],
    ["git push --delete *", ["git push origin HEAD:main", "git push origin :", "git push -f"]],
    ["git push --mirror *", ["git push -f", "git push -fd o x"]],
    ["git reset --hard *", ["git reset", "git reset --soft HEAD", "git reset -- --hard"]],
    ["chmod -R 777 *", ["chmod -R 755 .", "chmod 777 ."]],
    ["curl -d *", ["curl https://a", "curl -o d https://a", "curl -od https://a", "curl -H -d https://a"]],
    ["curl -X POST *", ["curl -X GET https://a"]],
    ["bash -c *", ["bash script.sh"]],
    ["unknown-program -ab *", ["unknown-program -ba x"]],
  ])("matches %s only", (pattern, commands) => {
    for (const text of commands) expect([text, holds(pattern, text)]).toEqual([text, "no"]);
  });
});

test("matches an opening rule only as written", () => {
  for (const text of ["rm -fr x", "rm -r -f x", "rm --recursive --force x", "rm x -rf"])
    expect(permitsCommand(compile("rm -rf *"), command(text))).toBe(false);
  expect(permitsCommand(compile("rm -rf *"), command("rm -rf x"))).toBe(true);
});

test("skips options before a subcommand, and requires equal options without a star", () => {
  expect(holds("git push *", "git -C sub push origin")).toBe("yes");
  expect(holds("git push", "git --no-pager push")).toBe("yes");
  expect(holds("git push", "git push -f")).toBe("no");
  expect(holds("rm -rf", "rm -fr")).toBe("yes");
  expect(holds("rm -rf", "rm -rfv")).toBe("no");
});

test.each<[pattern: string, text: string, held: "yes" | "no" | "unclear"]>([
  ["git push*", "git -C . push", "yes"],
  ["git push*", "git --no-pager push origin main", "yes"],
  ["git push*", "git pull", "no"],
  ["docker system *", "docker --host tcp://a system prune", "yes"],
  ["npm publish *", "npm publish", "yes"],
  ["npm publish *", "npm publish --tag next", "yes"],
  ["npm publish *", "npm -s publish", "unclear"],
  ["npm publish *", "npm --registry http://a publish --tag next", "unclear"],
  ["npm publish *", "npm --loglevel=error publish", "unclear"],
  ["npm publish *", "npm run publish", "no"],
  ["npm publish *", "npm -s run publish", "unclear"],
  ["npm publish", "npm publish --tag next", "no"],
  ["make deploy*", "make -C . deploy", "unclear"],
  ["make deploy*", "make -C . test", "no"],
])("%s restricts %s: %s", (pattern, text, held) => expect(holds(pattern, text)).toBe(held));
