import { AGENT_FILES, AGENT_FOLDERS } from "@haft/core/internal";

const AGENT_NAMES = Object.keys(AGENT_FOLDERS);

/**
 * Lists globs of files below the user's home folder whose content programs run automatically: at a login, in each shell, with each `git` or
 * editor. They are read-only, unlike such names elsewhere.
 */
export const START_FILES: readonly string[] = [
  "~/.bashrc",
  "~/.bash_{profile,login,logout,aliases,functions,completion}",
  "~/.local/share/bash-completion",
  "~/.profile",
  "~/.{zshrc,zshenv,zprofile,zlogin,zlogout,zimrc}",
  "~/.{kshrc,mkshrc,cshrc,tcshrc,login,logout}",
  "~/.config/{fish,nushell,zsh,powershell,bash,elvish,xonsh}",
  "~/.{xonshrc,zfunc,p10k.zsh,fzf.bash,fzf.zsh}",
  "~/.{oh-my-zsh,inputrc,direnvrc,envrc}",
  "~/.config/{direnv,environment.d,mise,starship.toml}",
  "~/.{pam_environment,xprofile,xinitrc,xsession,xsessionrc,Xclients,xinputrc}",
  "~/.config/{autostart,autostart-scripts,plasma-workspace,systemd,upstart,lxsession}",
  "~/.config/{i3,sway,hypr,openbox,awesome,bspwm,sxhkd,qtile,labwc,river,niri,waybar,polybar}",
  "~/.{xmonad,fluxbox,kde/Autostart,kde4/Autostart}",
  "~/.config/{kitty,alacritty,wezterm,ghostty,zellij}",
  "~/.wezterm.lua",
  "~/.local/share/{applications,systemd,dbus-1,fish,nvim}",
  "~/Library/{LaunchAgents,LaunchDaemons}",
  "~/{.local/bin,bin,.bin}",
  "~/.gitconfig",
  "~/.config/{git,husky}",
  "~/.huskyrc",
  "~/.{hgrc,jjconfig.toml}",
  "~/.config/{hg,jj}",
  "~/.docker/cli-plugins",
  "~/.{vimrc,gvimrc,exrc,vim,emacs,emacs.el,emacs.d,nanorc,tmux.conf,screenrc,lesskey,lessfilter}",
  "~/.config/{nvim,vim,emacs,doom,helix,kak,micro,tmux,Code,VSCodium,zed,Cursor,Windsurf,sublime-text}",
  "~/.{doom.d,spacemacs,spacemacs.d,SpaceVim.d,selected_editor}",
  "~/.{gdbinit,lldbinit,psqlrc,sqliterc,pythonrc,irbrc,pryrc,Rprofile,curlrc,wgetrc,mailcap,rpmmacros}",
  "~/.{ipython,pdbrc,pdbrc.py,ghci,sbclrc,octaverc,guile,forward,procmailrc}",
  "~/.config/gdb",
  "~/.julia/config",
  "~/.local/lib",
  "~/.{node_modules,node_libraries}",
  "~/.{yarnrc,yarnrc.yml,bunfig.toml,pnpmrc,condarc}",
  "~/.config/{pip,npm,pnpm,yarn}",
  "~/.{nvm,pyenv,rbenv,asdf,volta}",
  "~/.{cargo,deno,bun,npm-global,yarn,poetry}/bin",
  "~/.local/share/pnpm",
  "~/go/bin",
  "~/.cargo/{config,config.toml,env}",
  "~/.gradle/{init.gradle,init.gradle.kts,init.d,gradle.properties}",
  "~/.m2/{settings.xml,extensions.xml}",
  "~/.{claude.json,vscode,vscode-server,aider.conf.yml,continue}",
  "~/.{qwen,codeium,kiro}",
  "~/.config/{opencode,claude,goose,crush,amp,haft}",
  ...AGENT_NAMES.map((name) => `~/${name}`),
];

/** Lists globs of settings by which version control systems other than git start programs. */
export const SETTINGS_OF_OTHER_SYSTEMS: readonly string[] = [
  "**/.hg/{hgrc,hgrc-not-shared,sharedpath}",
  "**/.jj/repo/config.toml",
  "**/.jj/workspace-config.toml",
  "**/.sl/config",
  "**/.pijul/config",
  "**/_darcs/prefs/{defaults,prefs}",
];

/**
 * Lists globs of project settings that start programs automatically when a person opens or enters the folder, or starts another agent
 * there: tasks, hooks, servers, environments. They match at any depth of any root. Changing one needs consent.
 *
 * @example
 * ```ts
 * import { createHostWorkspace, PROJECT_SETTINGS } from "@haft/workspace";
 * const projectSettings = [...PROJECT_SETTINGS, "Procfile"];
 * const workspace = createHostWorkspace({ root: "/srv/project", projectSettings });
 * ```
 */
export const PROJECT_SETTINGS: readonly string[] = [
  ...AGENT_NAMES.map((name) => `**/${name}`),
  ...AGENT_FILES,
  ...SETTINGS_OF_OTHER_SYSTEMS,
  "**/.{vscode,windsurf,zed,idea,fleet,vs,helix,trae,theia}",
  "**/.{continue,roo,kiro,qwen,kilocode,junie,amazonq,factory}",
  "**/.{envrc,autoenv,autoenv.zsh,exrc,vimrc,gvimrc,nvimrc,nvim.lua,lvimrc,vimrc.local,dir-locals.el}",
  "**/_{vimrc,gvimrc,exrc}",
  "**/.dir-locals-2.el",
  "**/.{lazy.lua,rvmrc}",
  "**/.vim/coc-settings.json",
  "**/.{Rprofile,pdbrc,pdbrc.py,irbrc,pryrc,ctags.d,yarnrc,yarnrc.yml}",
  "**/{.aider.conf.yml,crush.json,.crush.json}",
  "**/{.devcontainer,.devcontainer.json,.gitpod.yml}",
  "**/*.{code-workspace,sublime-project}",
  "**/{mise.toml,.mise.toml,.mise}",
  "**/{mise,.mise}.*.toml",
  "**/mise/config.toml",
  "**/.config/{mise,mise.toml}",
];
