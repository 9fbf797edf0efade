import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished } from "vitest";
import { scaleRuns } from "../../../../../test/support/share.ts";
import { createProject, contain, git, GIT_ENVIRONMENT, onHost, testContained } from "./contained.ts";

const ROUNDS = scaleRuns(200, 20);
/** Whoever comes second has to try again, as it is between any two gits. */
const AGAIN = `again() { for try in {1..500}; do "$@" 2>/dev/null && return; sleep 0.01; done; exit 9; }`;

testContained(
  "keeps settings and commits of concurrent users and commands",
  { timeout: 300_000 },
  async () => {
    const { root } = createProject();
    const view = await contain([root]);
    const users = `${AGAIN}
for round in {1..${ROUNDS}}; do
  again git config branch.u$round.description value
  echo $round >>of-the-user
  again git add of-the-user
  again git commit -q --allow-empty -m user-$round
done`;
    const user = spawn("/bin/bash", ["-c", users], { cwd: root, env: GIT_ENVIRONMENT, stdio: "ignore" });
    onTestFinished(() => void user.kill("SIGKILL"));
    const end = once(user, "close");
    let rounds = 0;
    while (user.exitCode === null || rounds < 2) {
      const round = ++rounds;
      const command = `${AGAIN}; again git config branch.b${round}.description of-${round}; again git commit -q --allow-empty -m contained-${round}`;
      const { code, notices, output } = await view.call(command);
      expect({ round, code, notices, output }).toEqual({ round, code: 0, notices: [], output: "" });
    }
    expect((await end)[0]).toBe(0);
    expect(await view.close()).toEqual([]);
    const settings = git(root, "config", "--local", "--list").split("\n");
    const missing: string[] = [];
    for (let round = 1; round <= ROUNDS; round++)
      if (!settings.includes(`branch.u${round}.description=value`)) missing.push(`user-${round}`);
    for (let round = 1; round <= rounds; round++)
      if (!settings.includes(`branch.b${round}.description=of-${round}`)) missing.push(`contained-${round}`);
    expect(missing).toEqual([]);
    // By number: git keeps the text of a commit in one file for all, so two at once may have each other's.
    expect(git(root, "rev-list", "--count", "HEAD")).toBe(`${1 + ROUNDS + rounds}\n`);
    expect(git(root, "show", "HEAD:of-the-user").trim().split("\n")).toHaveLength(ROUNDS);
    expect(
      onHost(root, "git fsck --no-dangling && git status --porcelain; ls .git | grep -c lock"),
    ).toMatchObject({
      output: "0\n",
    });
  },
);
