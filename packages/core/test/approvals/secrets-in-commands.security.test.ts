import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { scaleRuns } from "../../../../test/support/share.ts";
import { formatApproval } from "../../src/approvals/format-approval.ts";
import { redactSecrets } from "../../src/format/redact.ts";
import { createRequest } from "../support/approvals.ts";

/** Ways to hand a secret to a program; `%` is where it stands. */
const BARE = [
  "mysql -u root -p% app",
  "mysqldump --single-transaction -p% app > dump.sql",
  "mariadb-dump -p%",
  "mysql --password=% app",
  "/usr/bin/mysql -p% app",
  "PGPASSWORD=% psql -h db app",
  "MYSQL_PWD=% mysql app",
  "SSHPASS=% sshpass -e ssh -p 22 host",
  "env DB_PASS=% ./run",
  "export API_KEY=%",
  "TOKEN=%; ./deploy",
  "GITHUB_TOKEN=% gh pr list",
  "AWS_SECRET_ACCESS_KEY=% aws s3 ls",
  "aws configure set aws_secret_access_key %",
  "sshpass -p % ssh -p 22 host",
  "sshpass -p% ssh -p 22 host",
  "sshpass -v -p % scp a host:b",
  "docker login -u me -p % registry.example.com",
  "docker login registry.example.com --password %",
  "docker --config dir login -p=%",
  "podman login -p % quay.io",
  "helm registry login -p % example.com",
  "curl -u me:% https://example.com",
  "curl -ume:% https://example.com",
  "curl -sSu me:% https://example.com",
  "curl --user me:% https://example.com",
  "curl --proxy-user me:% https://example.com",
  "curl -H 'Authorization: Bearer %' https://example.com",
  'curl -H "Authorization: token %" https://example.com',
  "curl -H 'X-Api-Key: %' https://example.com",
  "curl -H 'Cookie: session=%' https://example.com",
  "curl https://me:%@example.com/a",
  "git clone https://oauth2:%@git.example.com/a/b",
  "psql postgres://app:%@db/prod",
  "psql 'host=db password=% user=app'",
  "redis-cli -h db -a % ping",
  "ldapsearch -x -D cn=admin -w % -b dc=example",
  "openssl enc -aes-256-cbc -k % -in a -out b",
  "openssl rsa -in key.pem -passin pass:% -out open.pem",
  "7z a -p% archive.7z dir",
  "unzip -P % archive.zip",
  "htpasswd -b .htpasswd me %",
  "smbclient -U me%% //server/share",
  "mongosh --host db -u me -p % app",
  'curl -d \'{"user":"me","token":"%"}\' https://example.com',
  'curl -d "{\\"password\\":\\"%\\"}" https://example.com',
  "wget --http-password % https://example.com",
];
/** The same in quotes, where a value may have spaces. */
const QUOTED = [
  "mysql -p'%' app",
  "mysql '-p%' app",
  'mysql "-p%" app',
  "sshpass -p '%' ssh -p 22 host",
  'docker login -u me -p "%" quay.io',
  "curl -u 'me:%' https://example.com",
  'curl --user="me:%" https://example.com',
  "redis-cli -a '%' ping",
  "openssl rsa -passin 'pass:%' -in a",
];
/** The same, where a value with spaces could be a command: that is shown. */
const QUOTED_WORDS = [
  'mysql --password="%" app',
  "PGPASSWORD='%' psql",
  "export API_KEY='%'",
  '{"secret": "%"}',
];
/** In single quotes a dollar sign is one. */
const LITERAL = [
  "PASSWORD='%' ./run",
  "export API_KEY='%'",
  "./run --password '%'",
  "./run --token='%'",
  "curl -u 'me:%' https://example.com",
  "mysql -p'%' app",
  "mysql '-p%' app",
];

const fill = (template: string, secret: string) => {
  // The last one: `%%` is a percent sign before a secret.
  const at = template.lastIndexOf("%");
  return template.slice(0, at) + secret + template.slice(at + 1);
};

const bare = fc
  .tuple(
    fc.constantFrom(..."QXZ".split("")),
    fc.string({ unit: fc.constantFrom(..."abcXYZ0189_+/=.~:@%^#!-".split("")), maxLength: 12 }),
    fc.constantFrom("Q", "7", "z"),
  )
  // `@`, `/` and `#` would end a password in a URL; a hyphen would begin an option.
  .map(([first, middle, last]) => `${first}${middle.replaceAll(/[@/#]/g, "_")}${last}`)
  // The word must not stand in the command for something else.
  .map((secret) => `K${secret}K`);
const spaced = fc.array(bare, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));

property.prop([fc.constantFrom(...BARE), bare], { numRuns: scaleRuns(600, 4) })(
  "a secret on a command line is covered, and the command can still be read",
  (template, secret) => {
    const shown = redactSecrets(fill(template, secret));
    expect(shown).toBe(fill(template, "[secret]"));
    expect(redactSecrets(shown)).toBe(shown);
  },
);

property.prop([fc.constantFrom(...QUOTED), spaced], { numRuns: scaleRuns(300, 4) })(
  "a secret in quotes is covered to its last word",
  (template, secret) => {
    expect(redactSecrets(fill(template, secret))).toBe(fill(template, "[secret]"));
  },
);

property.prop([fc.constantFrom(...QUOTED_WORDS), bare], { numRuns: scaleRuns(200, 4) })(
  "a secret in quotes that is one word is covered",
  (template, secret) => {
    expect(redactSecrets(fill(template, secret))).toBe(fill(template, "[secret]"));
  },
);

test.for(LITERAL)("masks a secret with a dollar sign: %s", (template) => {
  for (const secret of ["hunt$er2", "$hunter2", "hunter2$"]) {
    expect(redactSecrets(fill(template, secret))).toBe(fill(template, "[secret]"));
  }
});

test.for([...BARE, ...QUOTED, ...QUOTED_WORDS])("masks a secret of any length: %s", (template) => {
  expect(redactSecrets(fill(template, "x"))).toBe(fill(template, "[secret]"));
});

describe("private keys of any length", () => {
  test.for([
    ["-----BEGIN PRIVATE KEY-----\nMC4CAQ\nAb3=\n-----END PRIVATE KEY-----", ["MC4CAQ", "Ab3="]],
    ["-----BEGIN EC PRIVATE KEY-----MHcCAQ-----END EC PRIVATE KEY-----", ["MHcCAQ"]],
    ["echo '-----BEGIN OPENSSH PRIVATE KEY-----\\nb3Blb\\n-----END OPENSSH PRIVATE KEY-----'", ["b3Blb"]],
    [`-----BEGIN PRIVATE KEY-----\n${"Ab3d".repeat(16)}\nQ9w=\n-----END PRIVATE KEY-----`, ["Q9w=", "Ab3d"]],
  ] as const)("are masked: %j", ([text, secrets]) => {
    const shown = redactSecrets(text);
    for (const secret of secrets) expect(shown).not.toContain(secret);
    expect(shown).toMatch(/BEGIN[\s\S]*\[secret\][\s\S]*END/);
    expect(redactSecrets(shown)).toBe(shown);
  });
});

describe("ordinary commands", () => {
  test.for([
    "mkdir -p dir",
    "mkdir -p /var/lib/mysql/data",
    "cp -p a b",
    "scp -p a host:b",
    "ssh -p 22 host",
    "mysql -P 3306 -h db",
    "mysql -p",
    "mysql -u root -p app",
    "mysqladmin -u root -p status",
    "grep -p pattern file",
    "grep -rn password src",
    "ps -p 1",
    "git log -p -- src/auth.ts",
    "git add -p",
    "tar -xpf a.tar",
    "perl -pe s/a/b/ file",
    "sed -n -p file",
    "lsof -p 4242",
    "docker run -p 80:80 -u 1000:1000 nginx",
    "docker compose -p project up",
    "docker login -u me --password-stdin",
    "docker login registry.example.com",
    "sshpass -e ssh -p 22 host",
    "sshpass -f file ssh -p 22 host",
    "curl -u me https://example.com",
    "curl -o out:put -L https://example.com:8080/a@b",
    "chown -R user:group dir",
    "rsync --password-file=file a b",
    "psql -U postgres -h localhost -p 5432",
    "redis-cli -p 6379 ping",
    "ldapsearch -x -W -b dc=example",
    "openssl x509 -in a.pem -noout",
    "openssl req -new -key key.pem",
    "7z x archive.7z -oout",
    "unzip -p archive.zip file",
    "zip -r a.zip dir",
    "htpasswd .htpasswd me",
    "aws configure list",
    "aws s3 cp a s3://bucket/key",
    "npm run build -- --watch",
    "make -j4 PASSES=3 BYPASS=1 COMPASS=north",
    "MAX_TOKEN=100 TOKENIZER=fast ./run",
    "PWD=/tmp OLDPWD=/ sh -c pwd",
    "PASSWORD=$OTHER ./run",
    "password=None",
    "if [ -z $TOKEN ]; then exit 1; fi",
    'echo "Enter password:"',
    "git clone https://git@example.com/a/b",
    "git remote add origin ssh://git@example.com:22/a/b",
    "ssh user@host:path",
    "mongo --port 27017 db",
    "passwd user",
    "useradd -m -s /bin/bash user",
    "-----BEGIN PRIVATE KEY-----",
    "the header Cookie: is set",
    "cat ~/.aws/credentials",
  ])("stay unchanged: %s", (ordinary) => {
    expect(redactSecrets(ordinary)).toBe(ordinary);
  });
});

describe("text with a meaning for a shell", () => {
  test.for([
    ["mysql -p$(reboot) x", "$(reboot)"],
    ["mysql -pSECRET;reboot", ";reboot"],
    ["mysql -pSECRET|sh", "|sh"],
    ['mysql -p"$(reboot)"', "$(reboot)"],
    ["sshpass -p x reboot", " reboot"],
    ["curl -u me:x`reboot`", "`reboot`"],
    ["PGPASSWORD=x reboot", " reboot"],
    ["PGPASSWORD='x';reboot '", ";reboot "],
    ["docker login -p x && reboot", "&& reboot"],
    ["htpasswd -b f u $(reboot)", "$(reboot)"],
    ["curl -H 'Cookie: a=b'; reboot", "; reboot"],
    ["-----BEGIN PRIVATE KEY-----\nreboot\n-----END PRIVATE KEY-----", "\nreboot\n"],
    ["-----BEGIN PRIVATE KEY-----\nbin/ls\n-----END PRIVATE KEY-----", "\nbin/ls\n"],
  ])("stays visible: %j", ([command, acts]) => {
    expect(redactSecrets(command!)).toContain(acts);
  });
});

test("tells in a prompt that something is masked, and its meaning", () => {
  const shown = (text: string) => formatApproval(createRequest({ preview: [{ type: "text", text }] }));
  expect(shown("mysql -p[secret] app")).toContain("[secret] replaces a possible secret");
  expect(shown("mysql -p app")).not.toContain("replaces a possible secret");
});
