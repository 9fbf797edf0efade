import { expect, test } from "vitest";
import { analyzeCommand } from "../../src/index.ts";

const machine = { variables: {}, list: async () => [], getType: async () => undefined };

// On some systems the programs that hash are made with OpenSSL, whose settings name libraries; and names of users come through
// libraries that hear of variables as well.
test.each([
  "OPENSSL_CONF",
  "OPENSSL_MODULES",
  "LD_PRELOAD",
  "LDAPCONF",
  "KRB5_CONFIG",
  "SYSTEMD_NSS_DYNAMIC_BYPASS",
])("%s before a program that reads few variables is unclear", async (name) => {
  for (const line of [`${name}=x sha256sum a`, `${name}=x; sha256sum a`]) {
    const { unclear } = await analyzeCommand(line, { cwd: "/work", shell: "bash", context: machine });
    expect(unclear).toContain(`it sets a variable (${name})`);
  }
});

test("the reason for a variable before a program names that program", async () => {
  const { unclear } = await analyzeCommand("FOO=1 npm test", {
    cwd: "/work",
    shell: "bash",
    context: machine,
  });
  expect(unclear).toBe("it sets a variable (FOO), by which npm may do something else");
});
