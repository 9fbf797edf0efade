import { CREDENTIAL_PATTERNS, createHostWorkspace } from "@haft/workspace";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { realFolder } from "../../../../test/support/real-folder.ts";
import { findSecrets } from "../../src/contained/find-secrets.ts";

test("finds secrets in a home folder, in roots, and by absolute patterns with braces", () => {
  const folder = realFolder();
  const [home, root, system] = ["home", "root", "system"].map((name) => join(folder, name));
  for (const path of [join(home!, ".ssh"), join(root!, "deep"), system!])
    mkdirSync(path, { recursive: true });
  const files = [
    join(root!, "deep/.netrc"),
    join(system!, "passwords"),
    join(system!, "passwords-"),
    join(system!, "names"),
  ];
  for (const path of files) writeFileSync(path, "");

  const { paths, unscannedRoots } = findSecrets(
    ["**/.ssh", "**/.netrc", `${system}/{passwords,others}{,-}`, `${system}/n*`],
    [root!],
    home!,
  );

  const hereIn = paths.filter((path) => path.startsWith(`${folder}/`));
  expect(hereIn.toSorted()).toEqual([join(home!, ".ssh"), ...files.slice(0, 3)].toSorted());
  expect(unscannedRoots).toEqual([]);
});

/** A file for each place that users are known to keep logins, keys or histories in. */
const VISIBLE = `
.claude.json .claude/.credentials.json .codex/auth.json .codex/.env .gemini/oauth_creds.json .gemini/.env .copilot/config.json
.config/cursor/auth.json .pi/agent/auth.json .openclaw/openclaw.json .openclaw/credentials/x .openclaw/agents/a/agent/auth.json
.local/share/opencode/auth.json .config/github-copilot/apps.json .continue/config.json .aider.conf.yml .qwen/oauth_creds.json
.cache/huggingface/token .huggingface/token .config/goose/secrets.yaml .augment/session.json .config/anthropic/key .openai/key
.bash_history .zsh_history .local/share/fish/fish_history .config/fish/fish_variables .python_history .node_repl_history
.psql_history .mysql_history .sqlite_history .lesshst .Rhistory .irb_history .rediscli_history .viminfo
.npmrc .yarnrc.yml .config/pip/pip.conf .pypirc .config/pypoetry/auth.toml .m2/settings.xml .gradle/gradle.properties
.composer/auth.json .config/composer/auth.json .cargo/credentials.toml .gem/credentials .bundle/config .pub-cache/credentials.json
.aws/credentials .azure/x .oci/config .aliyun/config.json .s3cfg .boto .config/gcloud/x .config/doctl/config.yaml .config/hcloud/cli.toml
.bluemix/config.json .cf/config.json .kaggle/kaggle.json .databrickscfg .snowflake/connections.toml .snowsql/config .rclone.conf
.config/containers/auth.json .docker/config.json .kube/config .config/helm/repositories.yaml .terraformrc .vault-token .consul-token
.terraform.d/credentials.tfrc.json .pulumi/credentials.json .supabase/access-token .fly/config.yml .config/heroku/x .netrc
.config/netlify/config.json .local/share/com.vercel.cli/auth.json .wrangler/config/default.toml .config/.wrangler/config/default.toml
.doppler/.doppler.yaml .config/op/config .config/stripe/config.toml .twilio-cli/config.json .config/ngrok/ngrok.yml .railway/config.json
.config/neonctl/credentials.json .config/turso/settings.json .cloudflared/cert.pem .circleci/cli.yml .travis/config.yml .clasprc.json
.config/configstore/firebase-tools.json .sentryclirc .jira.d/x .config/gh/hosts.yml .config/glab-cli/config.yml .config/hub
.my.cnf .mylogin.cnf .pgpass .dbt/profiles.yml .influxdbv2/configs .step/secrets/x .tsh/keys/x .vault_pass .ansible/vault_pass
.password-store/x .config/rbw/x .config/gopass/x .lpass/x .config/Bitwarden/x .config/keepassxc/x .local/share/keyrings/x
.config/sops/age/keys.txt .gnupg/x .ssh/id_x .config/solana/id.json .bitcoin/wallet.dat .electrum/x .ethereum/keystore/x
.authinfo .authinfo.gpg .msmtprc .mbsyncrc .muttrc .config/aerc/accounts.conf .thunderbird/x .mozilla/x .config/chromium/x
.config/Slack/x .config/discord/x .config/Signal/x .wireguard/x .config/openvpn/x .config/tailscale/x .smbcredentials .git-credentials
`
  .trim()
  .split(/\s+/);

/** Beside these, and needed by tools. */
const NEEDED = `
.m2/repository/x .gradle/caches/x .gradle/init.gradle .cargo/bin/cargo .cargo/config.toml .cargo/registry/x .gitconfig
.config/git/config .config/fish/config.fish .local/share/fish/vendor_conf.d/x .cache/huggingface/hub/x .bundle/cache/x .composer/vendor/x
.docker/cli-plugins/x .claude/CLAUDE.md .codex/AGENTS.md .config/containers/registries.conf .local/share/uv/tools/x .ssh.txt
`
  .trim()
  .split(/\s+/);

describe("logins, keys and histories in a home folder", () => {
  const aHome = () => {
    const home = realFolder();
    for (const path of [...VISIBLE, ...NEEDED]) put(join(home, path));
    return home;
  };

  it("are hidden from commands, while files that tools need are visible", () => {
    const home = aHome();
    const { knownPaths } = findSecrets(CREDENTIAL_PATTERNS, [], home, {});
    const isHidden = (path: string) => knownPaths.some((one) => `${join(home, path)}/`.startsWith(`${one}/`));
    expect(VISIBLE.filter((path) => !isHidden(path))).toEqual([]);
    expect(NEEDED.filter(isHidden)).toEqual([]);
  });

  it("are denied to file tools by the same list", async () => {
    const home = aHome();
    const { fs } = createHostWorkspace({ root: home, homeDir: home });
    const readable = async (paths: readonly string[]) => {
      const found: string[] = [];
      for (const path of paths)
        await fs.stat(path).then(
          () => found.push(path),
          () => undefined,
        );
      return found;
    };
    expect(await readable(VISIBLE)).toEqual([]);
    expect(await readable(NEEDED)).toEqual(NEEDED);
  });

  it("are hidden from commands in folders that variables name", () => {
    const folder = realFolder();
    const env = {
      XDG_CONFIG_HOME: join(folder, "config"),
      XDG_DATA_HOME: join(folder, "data"),
      CODEX_HOME: join(folder, "codex"),
      GEMINI_CLI_HOME: join(folder, "google"),
      HISTFILE: join(folder, "typed"),
      PIP_CONFIG_FILE: "/dev/null",
      KUBECONFIG: `${join(folder, "one.yaml")}:${join(folder, "two.yaml")}`,
    };
    const files = [
      "config/gh",
      "config/rbw",
      "data/opencode/auth.json",
      "codex/auth.json",
      "google/.gemini/oauth_creds.json",
      "typed",
      "one.yaml",
      "two.yaml",
    ].map((path) => join(folder, path));
    for (const path of [...files, join(folder, "config/git/config")]) put(path);
    const { knownPaths } = findSecrets(CREDENTIAL_PATTERNS, [], join(folder, "home"), env);
    expect(knownPaths.filter((path) => !/^\/(?:etc|proc|root)\//.test(path)).toSorted()).toEqual(
      files.toSorted(),
    );
  });
});

function put(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "SECRET");
}
