/**
 * Files of the user, below the home folder, whose content programs run by themselves: at a login, in each shell, with
 * each `git` or editor. They may be read and not changed. Files of such names elsewhere, as in a repository of
 * dotfiles, are ordinary.
 */
export const START_FILES: readonly string[] = [
  "~/.bashrc",
  "~/.bash_{profile,login,logout,aliases}",
  "~/.profile",
  "~/.{zshrc,zshenv,zprofile,zlogin,zlogout,zimrc}",
  "~/.{kshrc,mkshrc,cshrc,tcshrc,login,logout}",
  "~/.config/{fish,nushell,zsh,powershell,bash}",
  "~/.{oh-my-zsh,inputrc,direnvrc,envrc}",
  "~/.config/{direnv,environment.d,mise,starship.toml}",
  "~/.{pam_environment,xprofile,xinitrc,xsession,xsessionrc,Xclients}",
  "~/.config/{autostart,autostart-scripts,plasma-workspace,systemd,i3,sway,hypr,openbox}",
  "~/.local/share/{applications,systemd,dbus-1,fish,nvim}",
  "~/Library/{LaunchAgents,LaunchDaemons}",
  "~/{.local/bin,bin,.bin}",
  "~/.gitconfig",
  "~/.config/git",
  "~/.{vimrc,gvimrc,exrc,vim,emacs,emacs.el,emacs.d,nanorc,tmux.conf,screenrc,lesskey,lessfilter}",
  "~/.config/{nvim,vim,emacs,doom,helix,tmux,Code,zed,Cursor}",
  "~/.{gdbinit,lldbinit,psqlrc,sqliterc,pythonrc,irbrc,pryrc,Rprofile,curlrc,wgetrc,mailcap,rpmmacros}",
  "~/.{yarnrc,yarnrc.yml,bunfig.toml,pnpmrc,condarc}",
  "~/.config/{pip,npm,pnpm,yarn}",
  "~/.{nvm,pyenv,rbenv,asdf,volta}",
  "~/.{cargo,deno,bun}/bin",
  "~/go/bin",
  "~/.cargo/{config,config.toml,env}",
  "~/.gradle/{init.gradle,init.gradle.kts,init.d,gradle.properties}",
  "~/.m2/{settings.xml,extensions.xml}",
  "~/.{claude,claude.json,codex,cursor,gemini,vscode,vscode-server,aider.conf.yml,continue}",
  "~/.config/{opencode,claude,goose,haft}",
];

/**
 * Settings in a project that start programs by themselves when somebody opens or enters its folder, or starts another
 * agent there: tasks, hooks, servers, environments. At any depth of any root. Changing one is asked about.
 */
export const PROJECT_SETTINGS: readonly string[] = [
  "**/.{vscode,cursor,windsurf,zed,idea,fleet,vs}",
  "**/.{claude,codex,gemini,opencode,continue,roo,kiro}",
  "**/.{envrc,mcp.json,claude.json,autoenv,autoenv.zsh,exrc,nvimrc,nvim.lua,lvimrc,vimrc.local,dir-locals.el}",
  "**/.dir-locals-2.el",
  "**/{opencode.json,opencode.jsonc,.aider.conf.yml}",
  "**/{.devcontainer,.devcontainer.json,.gitpod.yml}",
  "**/*.code-workspace",
  "**/{mise.toml,.mise.toml,.mise,mise.local.toml,.mise.local.toml}",
  "**/.config/mise",
];
