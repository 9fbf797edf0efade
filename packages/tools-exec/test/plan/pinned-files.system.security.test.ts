import { contentToText } from "@haft/core";
import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { always, site } from "../support/site.ts";

const LISTED = { security: "allowlist", ask: "on-miss" } as const;

/** Files of a project, and what it takes to have them do something else; the command that would run them stays the same. */
const ATTACKS: Record<
  string,
  { command: string; files?: Record<string, string>; swap: Record<string, string> }
> = {
  "make reads another Makefile": {
    command: "make -s all",
    files: { Makefile: "all:\n\t@echo good\n" },
    swap: { Makefile: "all:\n\t@echo evil\n" },
  },
  "make finds a GNUmakefile first": {
    command: "make -s all",
    files: { Makefile: "all:\n\t@echo good\n" },
    swap: { GNUmakefile: "all:\n\t@echo evil\n" },
  },
  "make gets a folder": {
    command: "make -s -C sub all",
    files: { "sub/Makefile": "all:\n\t@echo good\n" },
    swap: { "sub/Makefile": "all:\n\t@echo evil\n" },
  },
  "make gets a file": {
    command: "make -s -f sub/rules all",
    files: { "sub/rules": "all:\n\t@echo good\n" },
    swap: { "sub/rules": "all:\n\t@echo evil\n" },
  },
  "make gets a folder in one word": {
    command: "make -s -Csub all",
    files: { "sub/Makefile": "all:\n\t@echo good\n" },
    swap: { "sub/Makefile": "all:\n\t@echo evil\n" },
  },
  "make gets a file in one word": {
    command: "make -s -frules all",
    files: { rules: "all:\n\t@echo good\n" },
    swap: { rules: "all:\n\t@echo evil\n" },
  },
  "npm runs another script": {
    command: "npm run --silent hello",
    files: { "package.json": '{"scripts":{"hello":"echo good"}}' },
    swap: { "package.json": '{"scripts":{"hello":"echo evil"}}' },
  },
  "npm gets another shell": {
    command: "npm run --silent hello",
    files: { "package.json": '{"scripts":{"hello":"echo good"}}', evil: "#!/bin/sh\necho evil\n" },
    swap: { ".npmrc": "script-shell=./evil\n" },
  },
  "npm test": {
    command: "npm test --silent",
    files: { "package.json": '{"scripts":{"test":"echo good"}}' },
    swap: { "package.json": '{"scripts":{"test":"echo evil"}}' },
  },
  "node gets a folder with an index": {
    command: "node app",
    files: { "app/index.js": "console.log('good')" },
    swap: { "app/index.js": "console.log('evil')" },
  },
  "node gets a folder whose package.json appears": {
    command: "node app",
    files: { "app/index.js": "console.log('good')", "app/evil.js": "console.log('evil')" },
    swap: { "app/package.json": '{"main":"evil.js"}' },
  },
  "node gets a folder, and the main file of its package.json changes": {
    command: "node app",
    files: { "app/package.json": '{"main":"./start"}', "app/start.js": "console.log('good')" },
    swap: { "app/start.js": "console.log('evil')" },
  },
  "node gets a name without its ending": {
    command: "node app",
    files: { "app.js": "console.log('good')" },
    swap: { "app.js": "console.log('evil')" },
  },
  "npm in another folder": {
    command: "npm --prefix sub --silent run hello",
    files: { "sub/package.json": '{"scripts":{"hello":"echo good"}}' },
    swap: { "sub/package.json": '{"scripts":{"hello":"echo evil"}}' },
  },
  "npm below its package": {
    command: "cd sub && npm --silent run hello",
    files: { "package.json": '{"scripts":{"hello":"echo good"}}' },
    swap: { "sub/package.json": '{"scripts":{"hello":"echo evil"}}' },
  },
  "python finds a module of the folder first": {
    command: "python3 -m json.tool data.json",
    files: { "data.json": '"good"' },
    swap: { "json/__init__.py": "", "json/tool.py": "print('evil')" },
  },
  "python gets a folder": {
    command: "python3 app",
    files: { "app/__main__.py": "print('good')" },
    swap: { "app/__main__.py": "print('evil')" },
  },
};

/** Where this process would find it. */
function programOf(name: string): string {
  const files = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name));
  return realpathSync(files.find((file) => existsSync(file))!);
}

describe("“always” is bound to the files that decide, and expires with their change", () => {
  test.each(Object.entries(ATTACKS))(
    "requires approval again: %s",
    async (_, { command, files = {}, swap }) => {
      // That it is asked again is all that matters then.
      const { at, requests, open } = site(LISTED, () => (requests.length === 1 ? always() : "deny"));
      const put = (all: Record<string, string>): void => {
        for (const [name, content] of Object.entries(all)) {
          mkdirSync(dirname(at(name)), { recursive: true });
          writeFileSync(at(name), content, { mode: 0o755 });
        }
      };
      put(files);
      // They may be anywhere on this machine, and the site looks in few places.
      symlinkSync(process.execPath, at("bin/node"));
      symlinkSync(programOf("npm"), at("bin/npm"));
      const call = await open();
      const run = async (title: string) => contentToText((await call("exec", { command, title })).content);
      expect(await run("first")).toContain("good");
      expect(await run("second")).toContain("good");
      expect(requests).toHaveLength(1);
      put(swap);
      await run("third");
      expect(requests).toHaveLength(2);
    },
  );

  // None of them runs, so each finds the site as it was.
  const denied = site(LISTED, () => "deny", {}, {}, afterAll);
  for (const name of ["x.sh", "j.js", "sub/Makefile"]) writeFileSync(denied.at(name), "");
  test.each([
    "FOO=1 ./x.sh",
    "FOO=1 sh x.sh",
    "FOO=1 npm test",
    "case a in a) ./x.sh;; esac",
    "sh < x.sh",
    "cat x.sh | sh",
    "cat x.sh | make -f -",
    "cat x.sh | make -f rules",
    "echo `./x.sh`",
    "coproc ./x.sh",
    "eval ./x.sh",
    ". ./x.sh",
    `node -e 'require("./j.js")'`,
    "node --import ./first.mjs app.js",
    "perl -e do+q/x.pl/",
    "python3 -m tool.run",
    "tar -cf x.tar --checkpoint=1 --checkpoint-action=exec=./x.sh a",
    `awk 'BEGIN{system("./x.sh")}'`,
    "awk -f run.awk",
    "sed -n '1e ./x.sh'",
    "xargs sh run.sh",
    "env -i sh run.sh",
    "nohup make -s all",
    "make CC=./x.sh",
    "make -C sub CC=./x.sh",
    "make -C sub -C below",
    "make -C sub '--eval=x:;./x.sh'",
    "sudo ./x.sh",
    "make -C sub && coproc ./x.sh",
  ])("is not offered if the started program is unknown: %s", async (command) => {
    const call = await denied.open();
    denied.requests.length = 0;
    await call("exec", { command });
    expect(denied.requests).toHaveLength(1);
    expect(denied.requests[0]).toMatchObject({
      offers: [],
      noAlways: expect.stringMatching(/^its programs are uncertain, so only this once \(.+\)$/),
    });
  });

  test.each([
    "(./x.sh)",
    "sh -c 'sh x.sh'",
    "{ ./x.sh; }",
    "for i in 1; do ./x.sh $i; done",
    'echo "$(./x.sh)"',
    "$PWD/x.sh",
    "./*.sh",
    "./x.sh > out",
    "! ./x.sh",
    "cd sub; ../x.sh",
    "./x.sh <<'E'\n$x\nE",
  ])("also binds programs in nested lines: %s", async (command) => {
    const { at, requests, open } = site(LISTED, () => always());
    rmSync(at("run.sh"));
    const call = await open();
    const ran: string[] = [];
    for (const word of ["good", "good", "evil"]) {
      // As old as it was: only what is in it says that it is another one.
      if (word === "evil" || ran.length === 0)
        writeFileSync(at("x.sh"), `#!/bin/sh\necho ${word}\n`, { mode: 0o755 });
      rmSync(at("out"), { force: true });
      await call("exec", { command, title: String(ran.length) });
      ran.push(word);
      expect({ word, requests: requests.length }).toEqual({ word, requests: word === "evil" ? 2 : 1 });
    }
  });

  test("rejects the start if a file appears that takes precedence", async () => {
    const { at, open } = site(LISTED, () => {
      writeFileSync(at("GNUmakefile"), "all:\n\t@echo evil\n");
      return "allow-once";
    });
    writeFileSync(at("Makefile"), "all:\n\t@echo good\n");
    const outcome = await (await open())("exec", { command: "make -s all" });
    expect(outcome).toMatchObject({ kind: "error", code: "PLAN_CHANGED", receipt: "none" });
  });

  test("lists the files in the request, and mentions further files", async () => {
    const { at, requests, open } = site(LISTED);
    writeFileSync(at("Makefile"), "all:\n\t@echo good\n");
    const call = await open();
    const ask = async (command: string): Promise<string> => {
      await call("exec", { command });
      return contentToText(requests.at(-1)!.preview);
    };
    const make = await ask("make all");
    expect(make).toContain(`With these files as they are now:\n- ${at("Makefile")}\n`);
    expect(make).toContain(
      "Not part of the answer: files that make reads or starts beside these; they can change later.",
    );
    expect(await ask("sudo ./run.sh")).toContain(
      "Not part of the answer: files it reads or starts beside these; they can change later.",
    );
    expect(await ask("git status")).toContain("Not part of the answer: files that git reads or starts;");
    expect(await ask("basename a")).not.toContain("Not part of the answer");
  });

  test("is not offered with too many files", async () => {
    const { requests, open } = site(LISTED);
    const words = Array.from({ length: 2_500 }, (_, at) => `f${at}`).join(" ");
    await (
      await open()
    )("exec", { command: `sudo true ${words}` });
    expect(requests[0]).toMatchObject({ offers: [], noAlways: "it names more files than are looked at" });
  });
});
