import { agents, type DecideContext } from "@haft/guard";
import { createPolicy, type PolicyConfig } from "@haft/policy";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, getOverallEffect, line, payloads } from "../support.ts";

const secrets: PolicyConfig = { deny: ["effect:write(path:secrets/**)"] };

describe.each([...agents.keys()])("an empty policy for %s", (agent) => {
  it.each(Object.keys(payloads[agent]!))("has no opinion on %s", async (name) => {
    const { verdict } = await ask(agent, payloads[agent]![name], {});
    expect(verdict).toEqual({ effect: "allow", reason: "" });
  });
});

describe("one rule for the tools of all agents", () => {
  const writing: [string, string][] = [
    ["claude", "write"],
    ["codex", "edit"],
    ["gemini", "write"],
    ["copilot", "write"],
    ["cursor", "write"],
    ["opencode", "write"],
    ["pi", "write"],
    ["openclaw", "write"],
    ["openclaw", "edit"],
  ];
  it.each(writing)("covers writing a secret in %s (%s)", async (agent, name) => {
    expect(await getOverallEffect(agent, payloads[agent]![name], secrets)).toBe("deny");
  });

  it.each(["claude", "codex", "gemini"])("covers a tool of a server in %s", async (agent) => {
    const { mcp } = payloads[agent]!;
    expect(await getOverallEffect(agent, mcp, { deny: ["mcp(github/create_*)"] })).toBe("deny");
    expect(await getOverallEffect(agent, mcp, { deny: ["mcp(gitlab/*)"] })).toBe("allow");
    expect(await getOverallEffect(agent, mcp, { allow: ["mcp(github/*)"] })).toBe("allow");
    expect(await getOverallEffect(agent, mcp, { allow: ["mcp(github/list_*)"] })).toBe("deny");
  });

  it("covers a tool of an ambiguous server", async () => {
    const { mcp, mcpTool } = payloads["cursor"]!;
    for (const payload of [mcp, mcpTool]) {
      expect(await getOverallEffect("cursor", payload, { deny: ["mcp(github/create_*)"] })).toBe("ask");
      expect(await getOverallEffect("cursor", payload, { deny: ["mcp(github/list_*)"] })).toBe("allow");
      expect(await getOverallEffect("cursor", payload, { allow: ["mcp(github/*)"] })).toBe("deny");
    }
    const guessed = payloads["opencode"]!["mcp"];
    expect(await getOverallEffect("opencode", guessed, { deny: ["mcp(github/create_issue)"] })).toBe("deny");
  });

  it("covers a server tool of Cursor with any prefix in its name", async () => {
    const { mcpNamed, mcpTool } = payloads["cursor"]!;
    for (const name of ["github", "user-github", "project-0-shop-github", "project-12-a-b-c-github"]) {
      const named = { ...mcpNamed, mcp_server_name: name };
      expect(await getOverallEffect("cursor", named, { deny: ["mcp(github/create_*)"] })).toBe("deny");
      expect(await getOverallEffect("cursor", named, { deny: ["mcp(gitlab/*)"] })).toBe("allow");
      expect(await getOverallEffect("cursor", named, { deny: [`mcp(${name}/*)`] })).toBe("deny");
    }
    expect(await getOverallEffect("cursor", mcpNamed, { allow: ["mcp(github/*)"] })).toBe("allow");
    expect(await getOverallEffect("cursor", mcpNamed, { allow: ["mcp(gitlab/*)"] })).toBe("deny");
    // A guess lets nothing through.
    const guessed = { ...mcpNamed, mcp_server_name: "project-0-evil-github" };
    expect(await getOverallEffect("cursor", guessed, { allow: ["mcp(github/*)"] })).toBe("deny");
    const isOwnServer = (server: string) => server === "github";
    expect(
      await getOverallEffect("cursor", guessed, { deny: ["mcp(github/*)"] }, { isHaftServer: isOwnServer }),
    ).toBe("deny");
    expect(
      await getOverallEffect("cursor", mcpNamed, { deny: ["mcp(github/*)"] }, { isHaftServer: isOwnServer }),
    ).toBe("allow");

    // Nor is what a person says of one server's tool said of another's, and a log is read as it was written.
    const parts: string[] = [];
    const approvals: DecideContext["approvals"] = {
      async ask(question) {
        parts.push(JSON.stringify(question.parts));
        return { approvalId: "k7" };
      },
    };
    for (const mcp_server_name of ["github", "gitlab"])
      await ask("cursor", { ...mcpNamed, mcp_server_name }, { ask: ["mcp(*/*)"] }, { approvals });
    await ask(
      "cursor",
      { ...mcpNamed, tool_name: "MCP:github/create_issue" },
      { ask: ["mcp(*/*)"] },
      { approvals },
    );
    expect([new Set(parts).size, parts[2]]).toEqual([2, parts[0]]);

    // Where both of its events ask, the one that does not know the server leaves the call to the other.
    const both = { event: "preToolUse+beforeMCPExecution" };
    const { hook_event_name: _, ...unnamed } = mcpTool as Record<string, unknown>;
    for (const payload of [mcpTool, unnamed]) {
      expect(await getOverallEffect("cursor", payload, { deny: ["mcp(*/*)"] }, both)).toBe("allow");
      expect(await getOverallEffect("cursor", payload, { deny: ["mcp(*/*)"] }, { event: "preToolUse" })).toBe(
        "ask",
      );
    }
    expect(await getOverallEffect("cursor", mcpNamed, { deny: ["mcp(*/*)"] }, both)).toBe("deny");
    expect(await getOverallEffect("cursor", payloads["cursor"]!["tool"], { deny: ["exec"] }, both)).toBe(
      "deny",
    );
  });

  it.each(["claude", "codex"])(
    "covers a server whose name ends with half a separator, in %s",
    async (agent) => {
      const payload = { ...payloads[agent]!["mcp"], tool_name: "mcp__github___create" };
      for (const rule of ["mcp(github_/create)", "mcp(github/_create)"])
        expect(await getOverallEffect(agent, payload, { deny: [rule] })).toBe("deny");
      expect(await getOverallEffect(agent, payload, { allow: ["mcp(github/*)"] })).toBe("deny");
    },
  );

  it("covers every host in a prompt", async () => {
    const { fetch } = payloads["gemini"]!;
    expect(await getOverallEffect("gemini", fetch, { deny: ["web_fetch(host:docs.example.com)"] })).toBe(
      "deny",
    );
    expect(await getOverallEffect("gemini", fetch, { deny: ["web_fetch(host:example.org)"] })).toBe("deny");
    expect(await getOverallEffect("gemini", fetch, { allow: ["web_fetch(host:example.org)"] })).toBe("deny");
    expect(
      await getOverallEffect(
        "gemini",
        { ...fetch, tool_input: { prompt: "the news" } },
        { deny: ["web_fetch(host:example.org)"] },
      ),
    ).toBe("ask");
  });

  it("covers subagents", async () => {
    expect(
      await getOverallEffect("claude", payloads["claude"]!["subagent"], { subagents: { deny: ["exec"] } }),
    ).toBe("deny");
    expect(
      await getOverallEffect("claude", payloads["claude"]!["shell"], { subagents: { deny: ["exec"] } }),
    ).toBe("allow");
    expect(await getOverallEffect("claude", payloads["claude"]!["agent"], { deny: ["Agent"] })).toBe("deny");
  });

  it("covers a tool of the agent by its name in any host", () => {
    for (const { id, clientTools } of agents.values())
      for (const name of Object.keys(clientTools))
        for (const entry of [`${id}/${name}`, name])
          expect(createPolicy({ deny: [entry] }, { tools: [] }).unmatched).toEqual([]);
  });
});

describe("patches", () => {
  const patch = (...files: string[]) =>
    [
      "*** Begin Patch",
      ...files.flatMap((file) => [`*** Update File: ${file}`, "@@", "-a", "+b"]),
      "*** End Patch",
    ].join("\n");
  const codex = (command: string, tool = "Bash") => ({
    ...payloads["codex"]!["shell"],
    tool_name: tool,
    tool_input: { command },
  });

  it("are denied because of a single file among many", async () => {
    const one = codex(patch("src/a.ts", "src/b.ts", "secrets/key"), "apply_patch");
    expect(await getOverallEffect("codex", one, secrets)).toBe("deny");
    expect(await getOverallEffect("codex", codex(patch("src/a.ts"), "apply_patch"), secrets)).toBe("allow");
  });

  it.each([
    ["*** Move to: secrets/key"],
    ["*** Add File: secrets/key"],
    ["*** Delete File: ./secrets/key"],
    ["*** Modify File: src/../secrets/key"],
    ["*** Move File: src/a -> secrets/key"],
    ["  *** Update File:   secrets/key  "],
    ["*** Update File: /home/ann/shop/secrets/key"],
  ])("name a file by %s", async (header) => {
    const text = `*** Begin Patch\n*** Update File: src/a.ts\n${header}\n@@\n*** End Patch`;
    expect(await getOverallEffect("codex", codex(text, "apply_patch"), secrets)).toBe("deny");
  });

  it.each([
    `apply_patch <<'EOF'\n${patch("secrets/key")}\nEOF`,
    `bash -lc "apply_patch <<EOF\n${patch("secrets/key")}\nEOF"`,
    `cd secrets && apply_patch <<'EOF'\n${patch("key")}\nEOF`,
    `cat > /tmp/p <<'EOF'\n${patch("secrets/key")}\nEOF\napply_patch < /tmp/p`,
  ])("are found in %j", async (command) => {
    expect(await getOverallEffect("codex", codex(command), secrets)).toBe("deny");
  });

  it("need a decision if they are unreadable and a rule is about files", async () => {
    expect(await getOverallEffect("codex", codex("what?", "apply_patch"), secrets)).toBe("ask");
    expect(await getOverallEffect("codex", codex("what?", "apply_patch"), {})).toBe("allow");
  });
});

describe("commands", () => {
  const careful: PolicyConfig = {
    exec: { security: "allowlist", ask: "on-miss", allow: ["git status*", "docker *"] },
  };

  it("are parsed", async () => {
    expect(await getOverallEffect("claude", line("true && rm -rf build"), { deny: ["exec(rm *)"] })).toBe(
      "deny",
    );
    expect(
      await getOverallEffect("claude", line("env nice rm -rf build"), { deny: ["exec(rm *)"] }),
    ).not.toBe("allow");
    expect(await getOverallEffect("claude", line("echo 'rm -rf build'"), { deny: ["exec(rm *)"] })).toBe(
      "allow",
    );
    expect(await getOverallEffect("claude", line("git status && $X"), careful)).toBe("ask");
    expect(await getOverallEffect("claude", line("git status --short"), careful)).toBe("allow");
  });

  it("pass under an empty policy if they cannot be parsed", async () => {
    for (const text of ["$(x) | `y`", "if", "a\u202eb", "x".repeat(200_000), "powershell { nothing }"])
      expect(await getOverallEffect("claude", line(text), {})).toBe("allow");
  });

  it("write to the target of their redirects", async () => {
    const config: PolicyConfig = {
      deny: ["write(path:secrets/**)"],
      exec: { security: "allowlist", allow: ["echo *"] },
    };
    expect(await getOverallEffect("claude", line("echo x > secrets/key"), config)).toBe("deny");
    expect(await getOverallEffect("claude", line("cd secrets && echo x > key"), config)).toBe("deny");
    expect(await getOverallEffect("claude", line("echo x > key"), config)).toBe("allow");
  });

  it("with later input are unclear only for Codex, and only if a rule is about commands", async () => {
    const shell = { ...payloads["codex"]!["shell"], tool_input: { command: "docker run -it x bash" } };
    expect(await getOverallEffect("codex", shell, {})).toBe("allow");
    expect(await getOverallEffect("codex", shell, { deny: ["write"] })).toBe("allow");
    expect(await getOverallEffect("codex", shell, careful)).toBe("ask");
    expect(await getOverallEffect("codex", shell, { deny: ["exec(rm *)"] })).toBe("ask");
    for (const command of ["bash", "python3 -i x.py", "node", "ssh host uptime", "sudo -i"])
      expect(
        await getOverallEffect("codex", { ...shell, tool_input: { command } }, { deny: ["exec(rm *)"] }),
      ).toBe("ask");
    // A rule allows no program that is not there.
    const allowed = existsSync("/usr/bin/docker") ? "allow" : "ask";
    expect(await getOverallEffect("claude", line("docker run -it x bash"), careful)).toBe(allowed);
  });
});

describe("files", () => {
  let root = "";
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "guard-")));
    mkdirSync(join(root, "shop/secrets"), { recursive: true });
    mkdirSync(join(root, "shop/src"));
    writeFileSync(join(root, "shop/secrets/key"), "x");
    symlinkSync(join(root, "shop/secrets"), join(root, "shop/src/innocent"));
    symlinkSync("../elsewhere/new", join(root, "shop/dangling"));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  const write = (path: string) => ({
    ...payloads["claude"]!["write"],
    cwd: join(root, "shop"),
    tool_input: { file_path: path },
  });
  const effect = (path: string, config: PolicyConfig) =>
    getOverallEffect("claude", write(path), config, { root: join(root, "shop") });

  it("are judged by their path and by the target of links", async () => {
    expect(await effect("src/innocent/key", secrets)).toBe("deny");
    expect(await effect("src/innocent/new", secrets)).toBe("deny");
    expect(await effect("src/innocent/key", { deny: ["write(path:src/**)"] })).toBe("deny");
    expect(await effect("src/innocent/key", { allow: ["write(path:src/**)"] })).toBe("deny");
    expect(await effect("src/other", { allow: ["write(path:src/**)"] })).toBe("allow");
  });

  it("are relative to the folder of the call, and rules to the folder of the project", async () => {
    const inside = { ...write("key"), cwd: join(root, "shop/secrets") };
    expect(await getOverallEffect("claude", inside, secrets, { root: join(root, "shop") })).toBe("deny");
  });

  it("outside the project are not allowed by a relative pattern", async () => {
    expect(await effect("../elsewhere/x", { allow: ["write(path:**)"] })).toBe("deny");
    expect(await effect("/etc/motd", { allow: ["write(path:**)"] })).toBe("deny");
    expect(await effect("/srv/x", { allow: ["write(path:/srv/**)"] })).toBe("allow");
    expect(await effect("../elsewhere/.env", { deny: ["write(path:**/.env)"] })).toBe("deny");
    expect(await effect("../elsewhere/x", {})).toBe("allow");
  });
});

describe("a server that is proven to be Haft", () => {
  it("is not judged again, unlike a server with its name only", async () => {
    const { mcp } = payloads["claude"]!;
    const config: PolicyConfig = { deny: ["mcp(github/*)"] };
    expect(
      await getOverallEffect("claude", mcp, config, { isHaftServer: (server) => server === "github" }),
    ).toBe("allow");
    expect(
      await getOverallEffect("claude", mcp, config, { isHaftServer: (server) => server === "haft" }),
    ).toBe("deny");
  });
});

describe("a command line that runs a file it writes", () => {
  const rules: PolicyConfig = { deny: ["exec(rm -rf *)"] };

  it.each([
    "printf 'rm -rf build' > s.sh; sh s.sh",
    "echo 'rm -rf build' >> ./s.sh && bash ./s.sh",
    "cat > s.sh <<'E'\nrm -rf build\nE\nsh s.sh",
    "cp /tmp/a s.sh; sh s.sh",
    "curl -o s.sh http://example.com; bash s.sh",
    "tar xf a.tgz && ./never-there/run.sh",
    "sed 's/x/y/' a > s.sh; chmod +x s.sh; ./s.sh",
    "echo x > m.mjs; node m.mjs",
    "dd if=a of=s.sh; sh s.sh",
  ])("needs a decision if a rule is about commands: %s", async (text) => {
    expect(await getOverallEffect("claude", line(text), rules)).toBe("ask");
    expect(await getOverallEffect("claude", line(text), {})).toBe("allow");
  });

  it.each([
    "sh build.sh > log.txt",
    "echo x > notes.txt; cat notes.txt",
    "mkdir x; cp a x/; ls x",
    "echo done",
  ])("does not include other command lines: %s", async (text) => {
    expect(await getOverallEffect("claude", line(text), rules)).toBe("allow");
  });
});
