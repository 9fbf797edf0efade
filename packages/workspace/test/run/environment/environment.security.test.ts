import { fc, test as property } from "@fast-check/vitest";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkedEnvironment } from "../../../src/index.ts";
import { baseEnvironment } from "../../../src/run/environment/environment.ts";
import { folder, run, session, start } from "../../processes/support.ts";
import { catchErrorCode, catchFailure } from "../../support.ts";

/** One of each family: loaders, shells, interpreters, tools that run tools. */
const NEVER = [
  "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "PS4", "IFS", "BASH_FUNC_ls%%",
  "NODE_OPTIONS", "PYTHONPATH", "PYTHONHOME", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS",
  "DOTNET_STARTUP_HOOKS", "GLIBC_TUNABLES", "MAKEFLAGS", "LUA_INIT", "GIT_EXTERNAL_DIFF", "GIT_EXEC_PATH", "GIT_DIR",
  "SHELLOPTS", "BASHOPTS", "EXECIGNORE", "BASH_LOADABLES_PATH", "BASH_COMPAT", "TEXTDOMAINDIR", "BASH_XTRACEFD",
  "CC", "RUSTC_WRAPPER", "PROMPT_COMMAND", "ZDOTDIR", "OPENSSL_CONF", "HAFT_PROCESS",
]; // prettier-ignore

const NOT_BY_A_CALLER = [
  "PATH", "HOME", "GIT_SSH_COMMAND", "EDITOR", "PAGER", "HTTPS_PROXY", "SSL_CERT_FILE", "DOCKER_HOST", "PIP_INDEX_URL",
  "UV_INDEX_URL", "GOPROXY", "KUBECONFIG", "AWS_PROFILE", "XDG_CONFIG_HOME", "GIT_CONFIG_COUNT", "NPM_CONFIG_REGISTRY",
  "CARGO_REGISTRIES_X_INDEX", "TF_VAR_x", "CARGO_TARGET_X86_64_LINKER",
]; // prettier-ignore

const FINE = {
  CI: "1",
  DEBUG: "*",
  FORCE_COLOR: "0",
  NODE_ENV: "test",
  PORT: "3000",
  LC_ALL: "C",
  TERM: "dumb",
  A_b: "",
};

/** The host computes the variables. With a runner they only travel further, which the contract of processes tests. */
const IN_HOST = { startedBy: "host" } as const;

const namesIn = (thrown: unknown): unknown =>
  (thrown as { details: { variables: string[] } }).details.variables;

function refusedBy(call: () => unknown): unknown {
  try {
    call();
  } catch (thrown) {
    return thrown;
  }
  throw new Error("it was accepted");
}

const anyCase = (name: string): fc.Arbitrary<string> => fc.mixedCase(fc.constant(name));

describe("variables that are always blocked", () => {
  test.each(NEVER.filter((name) => !name.includes("%")))("blocks %s", (name) => {
    for (const options of [{}, { operator: true }, { allow: [name] }]) {
      expect(refusedBy(() => checkedEnvironment({ [name]: "x" }, options))).toMatchObject({
        code: "ENVIRONMENT_BLOCKED",
      });
    }
    expect(baseEnvironment({ from: { [name]: "x" }, inherit: ["*"] })).not.toHaveProperty(name);
  });

  property.prop([fc.constantFrom(...NEVER, ...NOT_BY_A_CALLER).chain(anyCase)])(
    "blocks %s in any case",
    (name) => {
      expect(refusedBy(() => checkedEnvironment({ [name]: "x" }))).toHaveProperty("code");
    },
  );

  property.prop([fc.constantFrom(...NEVER).chain(anyCase)])("does not pass on %s in any case", (name) => {
    expect(baseEnvironment({ from: { [name]: "x" }, inherit: ["*", name] })).not.toHaveProperty(name);
    expect(refusedBy(() => baseEnvironment({ from: {}, set: { [name]: "x" } }))).toHaveProperty("code");
  });

  test("rejects a function that a shell would import", () => {
    expect(refusedBy(() => checkedEnvironment({ "BASH_FUNC_ls%%": "() { :; }" }))).toMatchObject({
      code: "INVALID_PROCESS",
    });
    expect(baseEnvironment({ from: { "BASH_FUNC_ls%%": "() { :; }" }, inherit: ["*"] })).not.toHaveProperty(
      "BASH_FUNC_ls%%",
    );
  });
});

describe("variables that a caller may not set", () => {
  test.each(NOT_BY_A_CALLER)("blocks %s unless the operator allows it", (name) => {
    expect(refusedBy(() => checkedEnvironment({ [name]: "x" }))).toMatchObject({
      code: "ENVIRONMENT_BLOCKED",
    });
    expect(checkedEnvironment({ [name]: "x" }, { allow: [name.toLowerCase()] })).toEqual({ [name]: "x" });
    expect(checkedEnvironment({ [name]: "x" }, { operator: true })).toEqual({ [name]: "x" });
  });

  test("names all blocked variables in the error, and no others", () => {
    const thrown = refusedBy(() => checkedEnvironment({ ...FINE, LD_PRELOAD: "x", Path: "/tmp" }));
    expect(namesIn(thrown)).toEqual(["LD_PRELOAD", "Path"]);
  });

  test("allows a pager that only copies", () => {
    expect(checkedEnvironment({ GIT_PAGER: "cat", PAGER: "" })).toEqual({ GIT_PAGER: "cat", PAGER: "" });
    expect(() => checkedEnvironment({ GIT_PAGER: "cat; id" })).toThrow("GIT_PAGER");
  });

  test("allows a prompt that runs nothing", () => {
    expect(checkedEnvironment({ PS1: "> ", ps2: "" })).toEqual({ PS1: "> ", ps2: "" });
    for (const value of ["$(id)", "`id`", "\\044(id)", "\\w $x"])
      expect(refusedBy(() => checkedEnvironment({ PS1: value }))).toHaveProperty(
        "code",
        "ENVIRONMENT_BLOCKED",
      );
    expect(checkedEnvironment({ PS0: "$(id)" }, { allow: ["PS0"] })).toEqual({ PS0: "$(id)" });
  });

  test("allows ordinary variables unchanged", () => {
    expect(checkedEnvironment(FINE)).toEqual(FINE);
  });

  test.each([{ "A=B": "x" }, { "": "x" }, { "1A": "x" }, { A: "x\0y" }, { A: 1 as unknown as string }])(
    "rejects the name %j",
    (wanted) => {
      expect(refusedBy(() => checkedEnvironment(wanted))).toMatchObject({ code: "INVALID_PROCESS" });
    },
  );
});

describe("variables of commands", () => {
  test("include the base of the host, and no others unless requested", () => {
    const from = {
      PATH: "/bin",
      HOME: "/h",
      LC_TIME: "C",
      SECRET_TOKEN: "s",
      AWS_SECRET_ACCESS_KEY: "s",
      MY_VAR: "m",
    };
    expect(baseEnvironment({ from })).toEqual({ PATH: "/bin", HOME: "/h", LC_TIME: "C" });
    expect(baseEnvironment({ from, inherit: ["MY_*"] })).toHaveProperty("MY_VAR", "m");
  });

  test("always include a PATH", () => {
    expect(baseEnvironment({ from: {} })["PATH"]).toContain("/bin");
  });

  test("include nothing else in a real command", async () => {
    process.env["HAFT_TEST_SECRET"] = "s3cr3t";
    process.env["GIT_EXEC_PATH"] = "/tmp/evil";
    try {
      const { processes } = session({
        ...IN_HOST,
        environment: { inherit: ["GIT_*"], set: { FROM_OPERATOR: "yes" } },
      });
      const { text } = await run(processes, { script: "env", env: { FROM_CALLER: "yes" } });
      const names = text
        .trim()
        .split("\n")
        .map((line) => line.split("=", 1)[0]!);
      expect(names).toContain("FROM_OPERATOR");
      expect(names).toContain("FROM_CALLER");
      expect(text).not.toContain("s3cr3t");
      expect(names).not.toContain("GIT_EXEC_PATH");
    } finally {
      delete process.env["HAFT_TEST_SECRET"];
      delete process.env["GIT_EXEC_PATH"];
    }
  });

  test("exclude startup files and tracing, which would run code in every shell", async () => {
    const home = folder();
    const evil = `touch ${home}/ran\n`;
    const startup = ".profile .bash_profile .bash_login .bashrc .shinit .zshenv .zshrc .kshrc".split(" ");
    for (const name of startup) writeFileSync(join(home, name), evil);
    const from = {
      PATH: process.env["PATH"]!,
      HOME: home,
      ZDOTDIR: home,
      ENV: join(home, ".shinit"),
      BASH_ENV: join(home, ".bashrc"),
      SHELLOPTS: "xtrace:braceexpand",
      PS4: `$(touch ${home}/ran)`,
      PROMPT_COMMAND: evil,
      EXECIGNORE: "*",
      BASH_LOADABLES_PATH: home,
      "BASH_FUNC_echo%%": `() { ${evil} }`,
    };
    const { processes } = session({ ...IN_HOST, environment: { from, inherit: ["*"] } });
    for (const shell of ["sh", "bash"]) {
      const { text } = await run(processes, {
        script: "echo $HOME; bash -c 'echo inner'; sh -c 'echo inner'",
        shell,
      });
      expect(text).toBe(`${home}\ninner\ninner\n`);
    }
    await run(processes, { argv: ["bash", "-c", "echo inner"] });
    expect(existsSync(join(home, "ran"))).toBe(false);
    const refused = await catchFailure(
      start(processes, {
        script: "bash -c true",
        env: { home, ZdotDir: home, shellopts: "xtrace", Ps4: "$(id)" },
      }),
    );
    expect(refused).toMatchObject({ code: "ENVIRONMENT_BLOCKED", receipt: "none" });
    expect(namesIn(refused)).toEqual(["home", "ZdotDir", "shellopts", "Ps4"]);
  });

  test("let git find its programs, whatever path the host has for them", async () => {
    const evil = folder();
    writeFileSync(join(evil, "git-evil"), `#!/bin/sh\ntouch ${evil}/ran\n`, { mode: 0o755 });
    const from = { PATH: process.env["PATH"]!, GIT_EXEC_PATH: evil, git_exec_path: evil };
    const { processes } = session({ ...IN_HOST, environment: { from, inherit: ["GIT_*", "git_exec_path"] } });
    const { text } = await run(processes, "git evil; env | grep -ci git_exec");
    expect(text).toContain("0\n");
    expect(existsSync(join(evil, "ran"))).toBe(false);
  });

  test("use the same filter for a plugin as for a caller", () => {
    const wanted = { PLUGIN_MODE: "fast", Node_Options: "--require=/x.js", docker_host: "tcp://x" };
    for (const options of [{}, { allow: ["PLUGIN_*"] }, { allow: ["*"] }]) {
      expect(namesIn(refusedBy(() => checkedEnvironment(wanted, options)))).toContain("Node_Options");
    }
    expect(checkedEnvironment({ PLUGIN_MODE: "fast" })).toEqual({ PLUGIN_MODE: "fast" });
  });

  test("start nothing if a variable is blocked", async () => {
    const { processes } = session(IN_HOST);
    expect(await catchErrorCode(processes.start("c", { script: "true", env: { LD_PRELOAD: "/x.so" } }))).toBe(
      "ENVIRONMENT_BLOCKED",
    );
    expect(await processes.list()).toEqual([]);
  });
});
