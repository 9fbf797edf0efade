// A host with one contained session, which works until somebody kills it. Says each command that was answered.
import { createHost } from "../../../src/host/host.ts";

const { workspaceDir, stateDir, round } = JSON.parse(process.argv[2]!) as {
  workspaceDir: string;
  stateDir: string;
  round: number;
};
const host = await createHost({
  workspaceDir,
  stateDir,
  administratorPolicy: false,
  policy: { exec: { preset: "contained" } },
});
const session = await host.openSession();
for (let at = 0; ; at++) {
  const number = round * 1000 + at;
  const commands = [
    `git config user.email "${number}@example.com"`,
    `echo x >.envrc; mkdir -p .claude; echo x >.claude/settings.json; sleep 1000 & : ${number}`,
    `git init -q new-${number % 5}; git -C new-${number % 5} config core.fsmonitor evil; echo ${number} >work; git add work; git commit -qm ${number}`,
  ];
  const command = commands[at % commands.length]!;
  const outcome = await session.call({ name: "exec", arguments: { command, timeoutSeconds: 1000 } });
  process.stdout.write(`${JSON.stringify({ number, at, kind: outcome.kind })}\n`);
}
