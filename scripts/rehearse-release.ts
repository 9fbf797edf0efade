// Rehearses a release with a loopback registry (verdaccio from npm): publishes all packages, installs them as
// a user, changes one, publishes its next version, and updates the user. Works in a clone.
//
// npm run rehearse
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, expectNone, finish, need } from "./lib/checks.ts";
import { endTree } from "./lib/end-tree.ts";
import { createCleanEnvironment, publicPackages, root, run } from "./lib/workspace.ts";

const VERDACCIO = "6.10.4";
/** It has its own version line. */
const CHANGED = "haft-plugin-web";
const LIMIT_MS = 15 * 60_000;

const packages = publicPackages();
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "haft-release-")));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const clone = join(scratch, "haft");
const outside = createCleanEnvironment();
const uplink = (await run("npm", ["config", "get", "registry"], { cwd: scratch })).trim();
const port = await findFreePort();
const registry = `http://127.0.0.1:${port}/`;
// npm requires a token, but the registry accepts any.
const npmrc = join(scratch, "npmrc");
writeFileSync(npmrc, `registry=${registry}\n//127.0.0.1:${port}/:_authToken=rehearsal\nprovenance=false\n`);
const programs = join(scratch, "programs");
mkdirSync(programs);
// The user gets this checkout's Node, but no other program.
symlinkSync(process.execPath, join(programs, "node"));
const user = {
  ...outside,
  PATH: `${programs}:${outside["PATH"]}`,
  npm_config_userconfig: npmrc,
  npm_config_cache: join(scratch, "npm-cache"),
  npm_config_registry: registry,
  npm_config_provenance: "false",
  HOME: scratch,
};
const publisher = {
  ...user,
  PATH: `${join(clone, "node_modules/.bin")}:${user.PATH}`,
};

await need("the commit is cloned, installed and built", async () => {
  await run("git", ["clone", "--quiet", "--no-local", root, clone]);
  await run("npm", ["run", "setup"], { cwd: clone, limitMs: LIMIT_MS });
  await run("npm", ["run", "build"], { cwd: clone, limitMs: LIMIT_MS });
});
await need("the registry listens", startRegistry);
await need("pnpm is on the PATH, as in the release workflow", async () => {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    packageManager: string;
  };
  await run("npm", ["install", "--prefix", scratch, "--no-save", packageManager], { env: outside });
  writeFileSync(
    join(programs, "pnpm"),
    `#!/bin/sh\nexec ${JSON.stringify(join(scratch, "node_modules/.bin/pnpm"))} "$@"\n`,
    {
      mode: 0o755,
    },
  );
});

await need(`all ${packages.length} packages are published`, async () => {
  await publish();
  const missing: string[] = [];
  for (const { name } of packages) if ((await versionsOf(name)).length !== 1) missing.push(name);
  expectNone(missing.map((name) => `${name} was not published`));
});

const app = join(scratch, "app");
mkdirSync(app);
await need("npm install haft", async () => {
  writeFileSync(
    join(app, "package.json"),
    `${JSON.stringify({ name: "app", private: true, type: "module" })}\n`,
  );
  await run("npm", ["install", "haft", CHANGED], { cwd: app, env: user, limitMs: LIMIT_MS });
});
await check("npx haft --version prints the published version", async () => {
  const printed = (await run("npx", ["haft", "--version"], { cwd: app, env: user })).trim();
  const [published] = await versionsOf("haft");
  if (printed !== published) throw new Error(`It printed ${printed}, and ${published} was published.`);
});
await check("npx haft run answers a call", async () => {
  const line = `${JSON.stringify({ name: "ls", arguments: {} })}\n`;
  const printed = await run("npx", ["haft", "run"], { cwd: app, env: user, input: line });
  if (!printed.includes("package.json")) throw new Error(printed);
});
await check("npm create haft-plugin makes a plugin whose tests pass", async () => {
  const words = ["create", "haft-plugin@latest", "haft-plugin-rehearsal", "--", "--yes"];
  await run("npm", words, { cwd: scratch, env: user, limitMs: LIMIT_MS });
  const folder = join(scratch, "haft-plugin-rehearsal");
  if (!existsSync(join(folder, "node_modules")))
    await run("npm", ["install"], { cwd: folder, env: user, limitMs: LIMIT_MS });
  await run("npm", ["test"], { cwd: folder, env: user, limitMs: LIMIT_MS });
});

await need(`a change of ${CHANGED} becomes version 0.1.1 of it alone`, async () => {
  const summary = `---\n"${CHANGED}": patch\n---\n\nState the rehearsal in the README.\n`;
  writeFileSync(join(clone, ".changeset/rehearsal.md"), summary);
  const readme = join(clone, "packages", CHANGED, "README.md");
  writeFileSync(readme, `${readFileSync(readme, "utf8")}\nRehearsed.\n`);
  await run("npm", ["run", "version:packages"], { cwd: clone, env: publisher, limitMs: LIMIT_MS });
  const changed = await run("git", ["diff", "--name-only", "--", "packages/*/package.json"], { cwd: clone });
  expectNone(
    changed.split("\n").filter((path) => path !== "" && path !== `packages/${CHANGED}/package.json`),
  );
  await run("npm", ["run", "build"], { cwd: clone, limitMs: LIMIT_MS });
  await publish();
  const versions = await versionsOf(CHANGED);
  if (versions.join() !== "0.1.0,0.1.1") throw new Error(`The registry has ${versions.join()}.`);
});
await check("npm update brings it to the user", async () => {
  await run("npm", ["update"], { cwd: app, env: user, limitMs: LIMIT_MS });
  const installed = join(app, "node_modules", CHANGED);
  const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    version: string;
  };
  if (version !== "0.1.1") throw new Error(`Version ${version} is installed.`);
  if (!readFileSync(join(installed, "README.md"), "utf8").includes("Rehearsed."))
    throw new Error("The README is the old one.");
  const log = readFileSync(join(installed, "CHANGELOG.md"), "utf8");
  if (!log.includes("## 0.1.1") || !log.includes("## 0.1.0")) throw new Error(`The changelog says:\n${log}`);
});
await finish();

/** Publishes like the release workflow: a plan, tarballs, and a publication without a build. */
async function publish(): Promise<void> {
  const plan = join(scratch, "plan.json");
  const packed = join(scratch, "packed");
  rmSync(packed, { recursive: true, force: true });
  const changeset = async (...words: string[]) =>
    await run("node_modules/.bin/changeset", words, { cwd: clone, env: publisher, limitMs: LIMIT_MS });
  await changeset("publish-plan", "--output", plan);
  await changeset("pack", "--from-publish-plan", plan, "--out-dir", packed);
  await changeset("publish", "--from-pack-dir", packed, "--no-git-tag");
}

async function versionsOf(name: string): Promise<string[]> {
  const answer = await fetch(new URL(name.replace("/", "%2f"), registry));
  if (!answer.ok) return [];
  return Object.keys(((await answer.json()) as { versions: object }).versions);
}

async function startRegistry(): Promise<void> {
  const folder = join(scratch, "registry");
  mkdirSync(folder);
  // verdaccio's dependency names a tag of node-fetch, which some npm mirrors lack.
  const manifest = {
    private: true,
    dependencies: { verdaccio: VERDACCIO },
    overrides: { "node-fetch": "2.7.0" },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  await run("npm", ["install"], { cwd: folder, env: outside, limitMs: LIMIT_MS });
  const ours = ["haft", "@haft/*", "create-haft-plugin", "haft-plugin-web"];
  const rules = ours.map((name) => `  "${name}":\n    access: $all\n    publish: $all\n`).join("");
  const config = `storage: ./storage
uplinks:
  npm:
    url: ${uplink}
packages:
${rules}  "**":
    access: $all
    proxy: npm
log: { type: stdout, level: warn }
`;
  writeFileSync(join(folder, "config.yaml"), config);
  const server = spawn(
    process.execPath,
    ["node_modules/verdaccio/bin/verdaccio", "--config", "config.yaml", "--listen", `127.0.0.1:${port}`],
    { cwd: folder, env: outside, stdio: "ignore", detached: true },
  );
  process.on("exit", () => void endTree(server));
  for (
    const end = Date.now() + 60_000;
    Date.now() < end;
    await new Promise((resolve) => setTimeout(resolve, 200))
  )
    if (
      await fetch(new URL("-/ping", registry)).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
  throw new Error("It did not answer within a minute.");
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port: free } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return free;
}
