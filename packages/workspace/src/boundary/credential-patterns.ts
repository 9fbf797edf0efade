/** Match at any depth, also if a root is inside a match. */
export const CREDENTIALS_ANYWHERE: readonly string[] = [
  "**/.ssh",
  "**/.gnupg",
  "**/.password-store",
  "**/id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk}",
  "**/.aws/{credentials,cli,sso}",
  "**/.config/{gcloud,gh,op}",
  "**/.kube/{config,cache}",
  "**/.docker/config.json",
  "**/{.netrc,_netrc,.git-credentials,.pgpass,.pypirc}",
];

const OF_AGENTS = [
  "~/.{claude.json,claude/.credentials.json,claude/history.jsonl,continue,aider.conf.yml,openai,openhands-state}",
  "~/.codex/{auth.json,.credentials.json,.env,history.jsonl}",
  "~/.gemini/{oauth_creds.json,gemini-credentials.json,google_accounts.json,mcp-oauth-tokens.json,.env}",
  "~/.copilot/{config.json,mcp-oauth-config}",
  "~/.config/{github-copilot,cursor/auth.json,anthropic,openai.toml,io.datasette.llm/keys.json,llm/keys.json}",
  "~/.cursor/mcp.json",
  "~/.local/share/opencode/{auth.json,mcp-auth.json}",
  "~/.pi/agent/{auth.json,models.json}",
  "~/.openclaw/{openclaw.json,credentials,identity,agents,devices,.env}",
  "~/.config/{goose/secrets.yaml,crush/crush.json,amp/settings.json}",
  "~/.local/share/{crush/crush.json,amp/secrets.json,amazon-q,kiro-cli}",
  "~/.{qwen/oauth_creds.json,qwen/.env,augment/session.json,cline/data/secrets.json,kilocode/cli/config.json}",
  "~/.{openhands/agent_settings.json,openhands/secrets.json,factory/auth.json,factory/auth.encrypted}",
  "~/.{cache/huggingface/token,cache/huggingface/stored_tokens,huggingface,ollama/id_ed25519}",
  "~/.config/{Code,Code - Insiders,VSCodium,Cursor,Windsurf}/User/globalStorage",
];

const HISTORIES = [
  "~/.{bash,zsh,sh,ash,ksh,mksh,python,node_repl,ts_node_repl,bun_repl,psql,mysql,mariadb,sqlite,duckdb,usql}_history",
  "~/.{rediscli,irb,pry,php,scala,gdb,lldb,clickhouse-client}_history",
  "~/.{history,zhistory,zsh_sessions,bash_sessions,lesshst,Rhistory,irb-history,mycli-history,dbshell,octave_hist}",
  "~/.{viminfo,mongodb/mongosh,ipython/profile_default/history.sqlite,wget-hsts,julia/logs}",
  "~/.local/share/{fish/fish_history,atuin,mcfly,xonsh,powershell/PSReadLine,nvim/shada,pry,irb}",
  "~/.local/state/{lesshst,less,bash,zsh,elvish,nvim/shada,python_history,psql_history}",
  "~/.config/{fish/fish_variables,nushell/history.txt,nushell/history.sqlite3,pgcli/history,psysh/psysh_history}",
  "~/.cache/{deno/deno_history.txt,erlang-history}",
];

/** Only files of package registries, because builds need the folders. */
const OF_REGISTRIES = [
  "~/.{npmrc,yarnrc.yml,bunfig.toml,pip/pip.conf,m2/settings.xml,m2/settings-security.xml,gradle/gradle.properties}",
  "~/.{composer/auth.json,bundle/config,gem/credentials,cargo/credentials,cargo/credentials.toml,hex/hex.config}",
  "~/.{sbt/.credentials,ivy2/.credentials,pub-cache/credentials.json,luarocks/upload_config.lua,pause,jfrog,continuum}",
  "~/.config/{pip/pip.conf,pypoetry/auth.toml,composer/auth.json,dart/pub-credentials.json,binstar,hex/hex.config}",
  "~/.local/share/{uv/credentials,gem/credentials,python_keyring}",
];

const OF_SERVICES = [
  "~/.{azure,oci,aliyun,tccli,bluemix,cf,s3cfg,s3cfg.d,boto,gsutil,mc,minio,rclone.conf,ovh.conf,kaggle}",
  "~/.{databrickscfg,databrickscfg.d,databricks,terraformrc,terraform.d/credentials.tfrc.json,vault-token,consul-token}",
  "~/.{pulumi/credentials.json,supabase,fly,netlify,wrangler,doppler,twilio-cli,ngrok2,railway,render,cloudflared}",
  "~/.{snowflake,snowsql,influxdbv2,dbt/profiles.yml,my.cnf,mylogin.cnf,pg_service.conf,odbc.ini,cassandra}",
  "~/.{circleci,travis,clasprc.json,sentryclirc,jira.d,okta,saml2aws,tsh,step/secrets,rancher,dockercfg,expo/state.json}",
  "~/.{ansible/vault_pass,vault_pass,vault.d,appstoreconnect,wakatime.cfg,subversion/auth,bazaar/authentication.conf}",
  "~/.{smbcredentials,cvspass,lftp,vnc,gist,particle,aws/login}",
  "~/.config/{sops,age,rclone,hub,glab-cli,tea,jira,doctl,hcloud,scw,linode-cli,exoscale,vultr-cli,upctl}",
  "~/.config/{yandex-cloud,openstack,netlify,heroku,.wrangler,fly,stripe,ngrok,neonctl,turso,planetscale,ibm}",
  "~/.config/{containers/auth.json,helm/registry/config.json,helm/repositories.yaml,argocd,git/credentials,gspread}",
  "~/.config/configstore/{firebase-tools,snyk}.json",
  "~/.config/{syncthing,filezilla,remmina,obs-studio,obs}",
  "~/.local/share/{com.vercel.cli,heroku,supabase,DBeaverData,remmina}",
  "~/.local/state/syncthing",
];

const OF_KEYS = [
  "~/.local/share/{keyrings,kwalletd,gopass,rbw,keepassxc,lpass,password-store}",
  "~/.config/{Bitwarden,Bitwarden CLI,rbw,gopass,keepassxc,KeePass,1Password,solana,Exodus,Ledger Live}",
  "~/.cache/{keepassxc,rbw}",
  "~/.{lpass,age,bitcoin,litecoin,dogecoin,electrum,ethereum/keystore,foundry/keystores,brownie/accounts}",
  "~/.{near-credentials,sui,aptos,starkli-wallets,Xauthority}",
];

const OF_PROGRAMS = [
  "~/.{authinfo,authinfo.gpg,mbsyncrc,msmtprc,muttrc,mutt,offlineimaprc,fetchmailrc,getmail,esmtprc,thunderbird}",
  "~/.config/{msmtp,mutt,neomutt,aerc,himalaya,isyncrc,evolution}",
  "~/.{mozilla,librewolf,waterfox,zen,var/app}",
  "~/.config/{mozilla,google-chrome,google-chrome-beta,google-chrome-unstable,chromium,BraveSoftware,microsoft-edge}",
  "~/.config/{vivaldi,opera,Slack,discord,Signal,Element,teams-for-linux,Microsoft,irssi,weechat,hexchat}",
  "~/.local/share/{evolution,TelegramDesktop,gajim}",
  "~/snap/{firefox,chromium,thunderbird,slack,discord,telegram-desktop,signal-desktop,bitwarden}",
  "~/.{irssi,weechat,purple,wireguard,openvpn,vpn}",
  "~/.config/{openvpn,wireguard,tailscale}",
  "~/Library/{Keychains,Cookies,Mail,Messages,Safari}",
  "~/Library/Application Support/{Google/Chrome,Firefox,BraveSoftware,Microsoft Edge,Slack,Bitwarden}",
];

const OF_SYSTEM = [
  "/etc/{shadow,gshadow}{,-}",
  "/etc/ssh/ssh_host_{rsa,dsa,ecdsa,ed25519}_key",
  "/etc/ssl/private",
  "/etc/{wireguard,openvpn,NetworkManager/system-connections}",
  "/proc/*/{environ,mem}",
  "/proc/*/task/*/{environ,mem}",
];

/**
 * Lists globs of files with credentials, and of histories that may contain some, for file tools and commands. Ordinary project files such
 * as `.env`, `*.pem`, a project's `.npmrc` or an `.aws/` folder with templates are not included: add patterns to deny them.
 *
 * @example
 * ```ts
 * import { createHostWorkspace, CREDENTIAL_PATTERNS } from "@haft/workspace";
 * const credentials = [...CREDENTIAL_PATTERNS, ".env", "*.pem"];
 * const workspace = createHostWorkspace({ root: "/srv/project", credentials });
 * ```
 */
export const CREDENTIAL_PATTERNS: readonly string[] = [
  ...CREDENTIALS_ANYWHERE,
  ...OF_AGENTS,
  ...HISTORIES,
  ...OF_REGISTRIES,
  ...OF_SERVICES,
  ...OF_KEYS,
  ...OF_PROGRAMS,
  ...OF_SYSTEM,
];
