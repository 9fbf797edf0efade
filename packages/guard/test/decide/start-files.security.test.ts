import { describe, expect, it } from "vitest";
import { isAlwaysDenied, line, claudeRead, write, ask } from "../support.ts";

// A variable of the next start (NODE_OPTIONS, BASH_ENV, LD_PRELOAD …) has the agent, its shell or its hook load code.

describe("files that set variables of the next start", () => {
  it.each([
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshenv",
    ".zshrc",
    ".env",
    ".npmrc",
    ".pam_environment",
    ".xprofile",
    ".tmux.conf",
    ".ssh/environment",
    ".config/fish/config.fish",
    ".config/fish/conf.d/x.fish",
    ".config/environment.d/x.conf",
    ".config/systemd/user/x.service",
    ".config/autostart/x.desktop",
    "shop/.envrc",
    "Library/LaunchAgents/x.plist",
  ])("cannot be changed by an agent: ~/%s", async (name) => {
    expect(await isAlwaysDenied(write(`/home/ann/${name}`))).toBe(true);
    expect(await isAlwaysDenied(line(`echo 'export NODE_OPTIONS=--require=/x.cjs' >> ~/${name}`))).toBe(true);
    expect(await isAlwaysDenied(line(`cp /tmp/x /home/ann/${name}`))).toBe(true);
    expect((await ask("claude", claudeRead(`/home/ann/${name}`), {})).verdict.effect).toBe("allow");
  });

  it.each([
    "/etc/environment",
    "/etc/profile.d/x.sh",
    "/etc/ld.so.preload",
    "/etc/zsh/zshenv",
    "/etc/security/pam_env.conf",
  ])("include files of the machine: %s", async (path) => {
    expect(await isAlwaysDenied(write(path))).toBe(true);
  });

  it.each([
    "systemctl --user set-environment NODE_OPTIONS=--require=/x.cjs",
    "launchctl setenv NODE_OPTIONS x",
    "crontab /tmp/x",
    "echo '* * * * * x' | crontab -",
    "tee -a ~/.profile < /tmp/x",
    "sed -i s/a/b/ ~/.bashrc",
    "cd ~ && echo x >> .bashrc",
    "tar xf x.tar -C ~/.config",
  ])("cannot be changed by a command: %s", async (text) => {
    expect(await isAlwaysDenied(line(text))).toBe(true);
  });

  it.each([
    "cat ~/.bashrc",
    "grep -n PATH ~/.bashrc && npm test",
    "source ~/.bashrc && npm test",
    ". ~/.profile; $X",
    "crontab -l",
    "systemctl --user status x",
    "echo x >> .env",
    "echo x > docs/profile.md",
    "npm config get registry",
    "export NODE_OPTIONS=--max-old-space-size=4096 && npm test",
  ])("can be read, and do not include files of a project: %s", async (text) => {
    expect(await isAlwaysDenied(line(text))).toBe(false);
  });
});
