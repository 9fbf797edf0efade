import { describe, expect, it } from "vitest";
import { ask, getOverallEffect, line } from "../support.ts";

const rules = { deny: ["exec(rm -rf *)"] };
const effectOf = (text: string) => getOverallEffect("claude", line(text), rules);

describe("a command that a rule forbids, as what another program starts, is asked about", () => {
  it.each(
    `pipenv run rm -rf x
poetry run rm -rf x
uv run rm -rf x
pixi run rm -rf x
conda run -n e rm -rf x
bundle exec rm -rf x
nx exec -- rm -rf x
turbo exec -- rm -rf x
pnpm -r exec rm -rf x
npx -c "rm -rf x"
npm exec -- rm -rf x
stack exec -- rm -rf x
cargo run -- rm -rf x
mise exec -- rm -rf x
rbenv exec rm -rf x
nodenv exec rm -rf x
direnv exec . rm -rf x
dotenvx run -- rm -rf x
op run -- rm -fr x
aws-vault exec p -- rm -r -f x
doppler run -- rm -rf x
nix-shell --run "rm -rf x"
nix develop -c rm -rf x
docker exec web rm -rf x
docker exec -it web /bin/rm -rf x
docker exec web sh -c "cd /srv && rm -rf x"
docker exec web sh -c "r''m -rf x"
docker run --rm --entrypoint=rm image -rf x
docker run --rm image rm --recursive --force x
docker compose exec web rm -rf x
docker-compose run web sh -c 'ls; rm -rf x'
podman exec web rm -rf x
kubectl exec pod -- rm -rf x
kubectl exec pod -- busybox rm -rf x
lxc exec c -- rm -rf x
crictl exec c rm -rf x
minikube ssh -- rm -rf x
heroku run rm -rf x
fly ssh console -C "rm -rf x"
gcloud compute ssh vm --command "rm -rf x"
gcloud compute ssh vm --command="rm -rf x"
lando ssh -c "rm -rf x"
ssh host rm -rf x
su -c "rm -rf x"
runuser -u ann rm -rf x
chroot /srv rm -rf x
nsenter -t 1 rm -rf x
flatpak run --command=rm app -rf x
flatpak-spawn --host rm -rf x
systemd-run rm -rf x
watch rm -rf x
parallel rm -rf ::: x
script -c "rm -rf x"
foreman run rm -rf x
a-program-nobody-knows rm -rf x
./wrapper.sh rm -rf x
another exec-with code 'rm -rf x'`.split("\n"),
  )("%s", async (text) => {
    expect(await effectOf(text)).toBe("ask");
  });

  it("with a reason", async () => {
    const { verdict } = await ask("claude", line("docker exec web rm -rf x"), rules);
    expect(verdict.reason).toContain("docker can start a program that its arguments name");
  });

  it("and what a person has to be asked about is asked about there", async () => {
    const asking = { ask: ["exec(npm publish *)"] };
    expect(await getOverallEffect("claude", line("docker run node npm publish --tag x"), asking)).toBe("ask");
    expect(await getOverallEffect("claude", line("docker run node npm test"), asking)).toBe("allow");
  });

  it("whatever the folder of the program", async () => {
    const bySystem = { deny: ["exec(/usr/bin/rm *)"] };
    expect(await getOverallEffect("claude", line("docker exec web rm x"), bySystem)).toBe("ask");
  });

  it("where there are more words than are compared", async () => {
    const many = Array.from({ length: 60 }, () => "rm").join(" ");
    expect(await effectOf(`docker exec web ${many} -rf x`)).toBe("ask");
    expect(await effectOf(`docker run ${"-v a:b ".repeat(1100)} image rm -rf x`)).toBe("ask");
  });
});

describe("nothing is asked about for words that look like such a command, and are none", () => {
  it.each(
    `git rm -rf x
git commit -m "rm -rf x"
grep -rn "rm -rf" .
grep rm -rf x
echo rm -rf x
ls rm
docker rm -f x
docker compose up -d
docker exec web ls
docker exec web sh -c "npm ci && npm test"
docker run -p 5432:5432 -e "A=b c" postgres
kubectl logs -f pod
kubectl get pods
npm run rm
npm test -- -t "doesn't remove"
gh pr create --title "rm -rf x" --body "It doesn't."
aws s3 rm s3://bucket --recursive`.split("\n"),
  )("%s", async (text) => {
    expect(await effectOf(text)).toBe("allow");
  });
});
