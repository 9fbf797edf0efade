import { fc, test } from "@fast-check/vitest";
import { HaftError } from "@haft/core";
import { describe, expect, it } from "vitest";
import { codePoint } from "../../../../test/support/code-point.ts";
import { sshArguments } from "../../src/ssh/ssh-arguments.ts";
import { createSshBackend } from "../../src/ssh/ssh-backend.ts";

const codeOf = (call: () => unknown): string => {
  try {
    call();
    return "it worked";
  } catch (thrown) {
    if (HaftError.is(thrown)) return thrown.code;
    throw thrown;
  }
};

describe("arguments for ssh", () => {
  it.each([
    "-oProxyCommand=touch /tmp/x",
    "-F/tmp/evil",
    "",
    "a b",
    "host\nProxyCommand x",
    "$(id)",
    "`id`",
    "a;b",
    "a'b",
    "user@host",
    "ssh://host",
    "%h",
    "host\0",
    "ｈost",
  ])("reject the host %j", (host) => {
    expect(codeOf(() => sshArguments({ host }))).toBe("INVALID_OPTIONS");
  });

  it.each(["-l", "a b", "", "x;y", "$(id)", "a\nb"])("reject the user %j", (user) => {
    expect(codeOf(() => sshArguments({ host: "h", user }))).toBe("INVALID_OPTIONS");
  });

  it.each([0, -1, 65_536, 1.5, Number.NaN])("reject the port %d", (port) => {
    expect(codeOf(() => sshArguments({ host: "h", port }))).toBe("INVALID_OPTIONS");
  });

  it.each<Record<string, string>>([
    { StrictHostKeyChecking: "no" },
    { stricthostkeychecking: "accept-new" },
    { BatchMode: "no" },
    { ForwardAgent: "yes" },
    { permitlocalcommand: "yes" },
    { "ProxyCommand=x -o Y": "z" },
    { "-o": "x" },
    { SetEnv: "A=1\nProxyCommand=x" },
  ])("reject the options %j", (options) => {
    expect(codeOf(() => sshArguments({ host: "h", options }))).toBe("INVALID_OPTIONS");
  });

  it.each(["relative", "", "~/x", "/a\nb", "-x"])("reject the root %j", (root) => {
    expect(codeOf(() => createSshBackend({ host: "h", root }))).toBe("INVALID_OPTIONS");
  });

  it.each(["-e", "", "a\nb"])("reject the Node %j", (remoteNode) => {
    expect(codeOf(() => createSshBackend({ host: "h", root: "/", remoteNode }))).toBe("INVALID_OPTIONS");
  });

  it("replace defaults by chosen options, and offer only the given key", () => {
    const argv = sshArguments({
      host: "h",
      user: "u",
      port: 22,
      identityFile: "-key",
      options: { connecttimeout: "3" },
    });
    expect(argv.join(" ")).toContain("-o connecttimeout=3");
    expect(argv.join(" ")).not.toContain("ConnectTimeout=10");
    expect(argv.slice(-9)).toEqual(
      ["-p", "22", "-o", "IdentitiesOnly=yes", "-i", "-key", "-l", "u", "--", "h"].slice(-9),
    );
  });

  test.prop([fc.string(), fc.string({ unit: codePoint })])(
    "contain accepted values as one plain word",
    (host, user) => {
      try {
        const argv = sshArguments({ host, user });
        expect(argv.at(-2)).toBe("--");
        expect(host).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._:-]*$/);
        expect(user).not.toMatch(/^-|\s/);
      } catch (thrown) {
        if (!HaftError.is(thrown)) throw thrown;
      }
    },
  );
});
