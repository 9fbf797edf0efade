/** Places of credentials at any depth, also where a root lies in one. */
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
