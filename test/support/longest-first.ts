import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest on a quiet machine, so that none of them begins when all others have ended. */
const LONGEST = [
  "packages/sandbox/test/view/left-behind/doors.security.test.ts",
  "packages/haft/test/cli/run/haft-run.test.ts",
  "apps/site/test/site.test.ts",
  "packages/haft/test/contained/escapes/doors.security.test.ts",
  "packages/sandbox/test/contract/sandbox-runtime.test.ts",
  "packages/haft/test/cli/approvals/haft-approvals.test.ts",
  "packages/sandbox/test/view/network/full/full-network.security.test.ts",
  "packages/sandbox/test/docker/lost.test.ts",
  "packages/tools-exec/test/exec/shells-differ.security.test.ts",
  "packages/tools-exec/test/process/typed-input.security.test.ts",
  "packages/workspace/test/processes/plan-changed.security.test.ts",
  "apps/demo/test/not-vacuous.test.ts",
  "packages/sandbox/test/docker/lifetimes.test.ts",
  "packages/commands/test/random-lines.security.test.ts",
  "packages/sandbox/test/docker/images.test.ts",
  "packages/haft/test/sandbox/lost-commands.test.ts",
  "packages/haft/test/cli/sandbox/haft-sandbox.test.ts",
  "packages/workspace/test/processes/ending.test.ts",
  "packages/sandbox/test/contract/docker.test.ts",
  "packages/workspace/test/processes/starting.test.ts",
  "packages/haft/test/sandbox/run-ends.test.ts",
  "packages/haft/test/cli/policy/haft-policy.test.ts",
  "packages/haft/test/sandbox/sandboxed-session.test.ts",
  "packages/sandbox/test/bubblewrap/escapes.security.test.ts",
  "packages/sandbox/test/view/git/like-plain-git.test.ts",
  "packages/tools-fs/test/grep/ripgrep.test.ts",
  "packages/sandbox/test/contract/shell-dash.test.ts",
  "packages/haft/test/cli/sandbox/haft-contained.test.ts",
  "packages/sandbox/test/shell-runner/hostile.security.test.ts",
  "packages/sandbox/test/view/network/in-view.test.ts",
  "packages/haft/test/sandbox/docker-session.test.ts",
  "packages/haft/test/contained/contained-session.security.test.ts",
  "packages/sandbox/test/session/open-sandbox.test.ts",
  "packages/sandbox/test/docker/docker.test.ts",
  "packages/workspace/test/processes/spare-bash.test.ts",
  "packages/sandbox/test/contract/shell-bash.test.ts",
  "packages/tools-fs/test/changes/crash.test.ts",
  "test/examples.test.ts",
  "packages/haft/test/sandbox/planted-programs.security.test.ts",
  "packages/tools-exec/test/plan/tied-files.security.test.ts",
  "packages/commands/test/adversarial.security.test.ts",
  "packages/sandbox/test/bubblewrap/nothing-left.test.ts",
  "packages/workspace/test/processes/output.test.ts",
  "packages/sandbox/test/docker/escapes.security.test.ts",
  "packages/sandbox/test/ssh/ssh-backend.test.ts",
  "packages/tools-exec/test/plan/git/git-reads.security.test.ts",
  "packages/tools-exec/test/plan/git/git-attacks.security.test.ts",
  "apps/demo/test/usage.test.ts",
];

/**
 * A file that is not among them comes after them, in Vitest's own order. Files that share their processes come last: one
 * between others would have a process of its own, after all.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId, project }: TestSpecification): number => {
      const found = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
      const shares = project.config.isolate ? 0 : LONGEST.length + 1;
      return shares + (found < 0 ? LONGEST.length : found);
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array
    const byVitest = await super.sort(files);
    return byVitest.toSorted((a, b) => place(a) - place(b));
  }
}
