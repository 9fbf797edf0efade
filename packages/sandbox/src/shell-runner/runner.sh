# shellcheck shell=sh
# The runner for systems without Node. It needs a POSIX sh (also busybox) and the tools that it checks at its start.
#
# It reads requests from standard input, one line each: `number operation length arguments...`, followed by `length`
# bytes. It answers `number ok|no fields... length` and bytes. Arguments are `=` and octal escapes, read with `read -r`
# and decoded by `printf %b`, so they are never part of a script. A shell reads its input byte by byte, so no byte
# after a line is lost in a buffer.
#
# Commands run in separate process sessions. A mark in their environment finds processes that left their session. All
# processes end with standard input.

# Commands must not get variables of the caller.
_tmp=${TMPDIR:-/tmp} IFS='
'
set -f
for _v in $(env); do
  _v=${_v%%=*}
  case $_v in
  '' | *[!A-Za-z0-9_]* | [0-9]* | PATH | HOME | IFS | PWD | _* | UID | EUID | PPID | SHELLOPTS | BASH*) ;;
  *) unset "$_v" ;;
  esac
done
set +f
IFS=$(printf ' \t\n_')
IFS=${IFS%_}
export LC_ALL=C
# Only the end of its input ends it: signals that select programs by a pattern must not.
trap '' PIPE HUP TERM ALRM USR1 USR2
missing=
for tool in cat chmod dd env grep kill ln mkdir mkfifo mktemp mv readlink rm rmdir setsid stat; do
  command -v "$tool" >/dev/null 2>&1 || missing=$missing$tool,
done
dir=$(mktemp -d "$_tmp/haft-XXXXXX" 2>/dev/null) || missing=$missing$_tmp
me=${dir##*-} count=0 m=0 n=0
full=$(printf abc | dd iflag=fullblock bs=3 count=1 2>/dev/null)
setsid=$(command -v setsid)

_say() { printf '%s %s 0\n' "$n" "$*"; }
_fail() { _say no "$@"; }
_send() {
  _file=$1
  shift
  printf '%s ok %s %s\n' "$n" "$*" "$(stat -c %s "$_file")"
  cat "$_file"
}
_text() {
  t=$(printf '%b_' "${1#=}")
  t=${t%_}
}
_now() {
  # Hundredths of a second, including sleep of the machine.
  if read -r now _ </proc/uptime; then now=${now%.*}${now#*.}; else now=$(date +%s)00; fi
}
_receive() {
  if [ "$full" = abc ]; then
    dd iflag=fullblock bs="$1" count=1 of="$2" 2>/dev/null || : >"$2.broken"
    return
  fi
  : >"$2"
  while left=$(($1 - $(stat -c %s "$2"))) && [ "$left" -gt 0 ]; do
    before=$left
    dd bs="$left" count=1 2>/dev/null >>"$2" || exit 1
    [ "$(($1 - $(stat -c %s "$2")))" -lt "$before" ] || exit 1
  done
}
_broke() {
  case $(cat "$dir/err") in
  *"No space left"* | *uota* | *"too large"*) _fail DISK_FULL ;;
  *"Permission denied"* | *"not permitted"*) _fail ACCESS_DENIED ;;
  *"Read-only file"*) _fail READ_ONLY ;;
  *"too long"* | *"Invalid argument"* | *"itself"*) _fail INVALID_PATH ;;
  *"File exists"*) _fail FILE_EXISTS ;;
  *"not empty"*) _fail not-empty ;;
  *"Not a directory"*) _fail NOT_A_DIRECTORY ;;
  *"No such file"*) _fail FILE_NOT_FOUND ;;
  *"cross-device"* | *"Cross-device"*) _fail cross-device ;;
  *busy*) _fail file-busy ;;
  *) _fail FILE_SYSTEM_FAILED ;;
  esac
  return 1
}
_inside() {
  i=0 best=-1 access=
  while [ "$i" -lt "$m" ]; do
    eval "root=\$m_$i acc=\$a_$i"
    # shellcheck disable=SC2154 # root and acc are set by eval
    case $1 in
    "$root" | "${root%/}"/*) [ "${#root}" -le "$best" ] || best=${#root} access=$acc ;;
    esac
    i=$((i + 1))
  done
  [ -n "$access" ]
}
_resolve() {
  try=$1 rest=
  while [ ! -e "$try" ] && [ ! -L "$try" ]; do
    rest=/${try##*/}$rest try=${try%/*}
    [ -n "$try" ] || try=/
  done
  if [ -L "$try" ] && [ ! -e "$try" ] && ! stat -L "$try" 2>&1 | grep -q 'No such file'; then
    _fail link-loop
    return 1
  fi
  if [ -L "$try" ] && [ ! -e "$try" ]; then
    # Without realpath: busybox resolves the target of such a link relative to its own folder.
    real=$(readlink "$try" && echo _) || { _fail FILE_NOT_FOUND; return 1; }
    real=${real%?_}
    case $real in /*) ;; *) real=${try%/*}/$real ;; esac
    _resolve "$real$rest"
    return
  fi
  real=$(readlink -f "$try" && echo _) || { _fail FILE_NOT_FOUND; return 1; }
  real=${real%?_}
  if [ ! -e "$real" ] && [ -z "$rest" ]; then rest=/${real##*/} real=${real%/*}; fi
  [ -n "$real" ] || real=/
  _inside "$real" || { _fail OUTSIDE_WORKSPACE; return 1; }
  case $rest/ in
  //) ;;
  */../*) _fail FILE_NOT_FOUND; return 1 ;;
  esac
  if [ -n "$rest" ] && [ ! -d "$real" ]; then
    _fail NOT_A_DIRECTORY
    return 1
  fi
}
_is_root() {
  i=0
  while [ "$i" -lt "$m" ]; do
    eval "root=\$m_$i"
    [ "$root" != "$1" ] || return 0
    i=$((i + 1))
  done
  return 1
}
_place() {
  p=$1 folder=
  while case $p in ?*/ | ?*/.) true ;; *) false ;; esac do p=${p%/} p=${p%/.} folder=1; done
  name=${p##*/}
  if [ "$2" = 1 ] || [ -z "$name" ] || [ "$name" = .. ] || _is_root "$p"; then
    _resolve "$p" || return
  else
    _resolve "${p%/*}/." || return
    rest=${rest%/.}
    if [ -n "$rest" ]; then
      rest=$rest/$name
    elif [ -e "$real/$name" ] || [ -L "$real/$name" ]; then
      real=${real%/}/$name
    else
      rest=/$name
    fi
  fi
  if [ -n "$folder" ] && [ -z "$rest" ] && [ ! -d "$real" ]; then
    _fail NOT_A_DIRECTORY
    return 1
  fi
}
_look() {
  s=$(stat -c '%f %s %d.%i %h %Y %y %z' "$1" 2>"$dir/err") || return 1
  # shellcheck disable=SC2086 # its words
  set -- $s
  mode=$1 size=$2 links=$4 mtime=$5.0 version=$3.$2.$6T$7.$9T${10}
  case $7 in *.*) mtime=$5.${7#*.} ;; esac
  facts="$mode $size $links $mtime $version"
}
_writable() {
  [ "$access" = rw ] || { _fail READ_ONLY; return 1; }
}
_pinned() {
  i=0
  while [ "$i" -lt "$m" ]; do
    eval "root=\$m_$i"
    case $root in "$1" | "${1%/}"/*) _fail root-pinned; return 0 ;; esac
    i=$((i + 1))
  done
  return 1
}
_regular() {
  if [ -d "$real" ]; then _fail IS_DIRECTORY; return 1; fi
  if [ ! -f "$real" ]; then _fail NOT_A_FILE; return 1; fi
}
_folders() {
  at=$1 left=${2#/} made=0
  : >"$dir/made"
  while [ -n "$left" ]; do
    part=${left%%/*}
    case $left in */*) left=${left#*/} ;; *) left= ;; esac
    case $part in '' | .) continue ;; esac
    at=${at%/}/$part
    if mkdir "$at" 2>"$dir/err"; then
      printf '%s\000' "$at" >>"$dir/made"
      made=$((made + 1))
    elif [ ! -d "$at" ]; then
      _broke
      while [ "$made" -gt 0 ]; do
        at=${at%/*} made=$((made - 1))
        rmdir "$at" || break
      done
      return 1
    fi
  done
}
_write() {
  up=$dir/up.$1 how=$2 perm=$3 match=$4 new=1
  [ -e "$up" ] || : >"$up"
  if [ -e "$up.broken" ]; then _fail DISK_FULL; return; fi
  _text "$6"
  case $how in create) follow=0 ;; *) follow=1 ;; esac
  _place "$t" "$follow" && _writable || return
  if [ -n "$folder" ]; then _fail IS_DIRECTORY; return; fi
  if [ -n "$rest" ]; then
    case $match in - | !) ;; *) _fail FILE_CHANGED; return ;; esac
    if [ "$5" = 0 ] && [ -n "${rest%/*}" ]; then _fail FILE_NOT_FOUND; return; fi
    _folders "$real" "${rest%/*}" || return
    target=${real%/}$rest
  else
    new=0 target=$real
    if [ -d "$real" ] && [ ! -L "$real" ]; then _fail IS_DIRECTORY; return; fi
    if [ "$how" = create ]; then _fail FILE_EXISTS; return; fi
    _regular || return
    _look "$real" || { _broke; return; }
    if [ "$match" != - ] && [ "$match" != "$version" ]; then _fail FILE_CHANGED; return; fi
    # Setuid and setgid bits applied to the old content.
    perm=$(printf %o "$((0$(stat -c %a "$real") & 01777))")
  fi
  count=$((count + 1))
  new_file=${target%/*}/.haft-$me-$count.tmp alike=1
  if [ "$new" = 0 ]; then
    # Private until it has the owner, access list and attributes of the old file; otherwise it is not used.
    (umask 077 && : >"$new_file") 2>"$dir/err"
    cp --attributes-only --preserve=mode,ownership,xattr "$real" "$new_file" 2>/dev/null || alike=0
  fi
  if ! cat "$up" 2>"$dir/err" >"$new_file"; then
    [ -s "$dir/err" ] || [ -w "${target%/*}" ] || echo "Permission denied" >"$dir/err"
    rm -f "$new_file"
    _broke
    return
  fi
  [ "$perm" = - ] || chmod "$perm" "$new_file"
  if [ "$new" = 1 ] && { [ "$how" = create ] || [ "$match" = ! ]; }; then
    if ! ln "$new_file" "$target" 2>"$dir/err" && [ ! -e "$target" ]; then mv -n "$new_file" "$target"; fi
    if [ -s "$dir/err" ] && [ -e "$new_file" ]; then
      rm -f "$new_file"
      if [ "$how" = create ]; then _fail FILE_EXISTS; else _fail FILE_CHANGED; fi
      return
    fi
    rm -f "$new_file"
  elif [ "$alike" = 0 ]; then
    _in_place || return
  elif ! mv -f "$new_file" "$target" 2>"$dir/err"; then
    rm -f "$new_file"
    _broke
    return
  fi
  _look "$target" || { _broke; return; }
  _say ok "$new" "$facts"
}
# Overwrites the old file if a new file cannot have its owner or access list.
_in_place() {
  old_file=${new_file%.tmp}.old
  if [ "$links" -gt 1 ]; then
    rm -f "$new_file"
    _fail HARD_LINKED
    return 1
  fi
  if ! (umask 077 && cat "$target" >"$old_file") 2>"$dir/err"; then
    rm -f "$new_file" "$old_file"
    _broke
    return 1
  fi
  if cat "$new_file" 2>"$dir/err" >"$target"; then
    rm -f "$new_file" "$old_file"
    return 0
  fi
  # If the content cannot be restored, it stays next to the file.
  cat "$old_file" 2>/dev/null >"$target" && rm -f "$old_file"
  rm -f "$new_file"
  _broke
  return 1
}
_append() {
  up=$dir/up.$1
  [ -e "$up" ] || : >"$up"
  if [ -e "$up.broken" ]; then _fail DISK_FULL; return; fi
  _text "$2"
  _place "$t" 1 && _writable || return
  if [ -n "$rest" ]; then _write "$1" replace - ! 1 "$2"; return; fi
  _regular || return
  _look "$real" || { _broke; return; }
  if [ "$links" -gt 1 ]; then _fail HARD_LINKED; return; fi
  : 2>/dev/null >>"$real" || { _fail ACCESS_DENIED; return; }
  cat "$up" 2>"$dir/err" >>"$real" || { _broke; return; }
  _look "$real" || { _broke; return; }
  _say ok 0 "$facts"
}
_read() {
  _text "$3"
  _place "$t" 1 || return
  if [ -n "$rest" ]; then _fail FILE_NOT_FOUND; return; fi
  _regular || return
  if [ ! -r "$real" ]; then _fail ACCESS_DENIED; return; fi
  _look "$real" || { _broke; return; }
  if ! dd if="$real" bs=65536 skip="$1" count="$2" of="$dir/out" 2>"$dir/err"; then
    grep -q 'cannot skip' "$dir/err" || { _broke; return; }
  fi
  _send "$dir/out" "$facts"
}
_type() {
  if [ -L "$1" ]; then type=l; elif [ -d "$1" ]; then type=d; elif [ -f "$1" ]; then type=f; else type=o; fi
}
_list() {
  _text "$2"
  _place "$t" 1 || return
  if [ -n "$rest" ]; then _fail FILE_NOT_FOUND; return; fi
  if [ ! -d "$real" ]; then _fail NOT_A_DIRECTORY; return; fi
  if [ ! -r "$real" ] || [ ! -x "$real" ]; then _fail ACCESS_DENIED; return; fi
  seen=0 more=0
  at=${real%/}
  for f in "$at"/* "$at"/.[!.]* "$at"/..?*; do
    [ -e "$f" ] || [ -L "$f" ] || continue
    if [ "$seen" -ge "$1" ]; then more=1; break; fi
    seen=$((seen + 1))
    _type "$f"
    printf '%s%s\000' "$type" "${f##*/}"
  done >"$dir/out"
  _send "$dir/out" "$more"
}
_stat() {
  _text "$2"
  _place "$t" "$1" || return
  if [ -n "$rest" ]; then _say ok -; return; fi
  _look "$real" || { _broke; return; }
  _say ok "$facts"
}
_realpath() {
  _text "$1"
  _place "$t" 1 || return
  printf %s "${real%/}$rest" >"$dir/out"
  _send "$dir/out"
}
_mkdirp() {
  _text "$1"
  _place "$t" 1 || return
  if [ -n "$rest" ]; then
    _writable || return
    _folders "$real" "$rest" || return
  else
    if [ ! -d "$real" ]; then _fail NOT_A_DIRECTORY; return; fi
    : >"$dir/made"
  fi
  _send "$dir/made"
}
_entry() {
  _text "$1"
  _place "$t" 0 || return
  if [ -n "$rest" ]; then _fail FILE_NOT_FOUND; return 1; fi
  ! _pinned "$real" && _writable || return 1
  if [ -n "$folder" ] && [ -L "$real" ]; then _fail NOT_A_DIRECTORY; return 1; fi
  _look "$real" || { _broke; return 1; }
  if [ "$2" != - ] && [ "$2" != "$version" ]; then _fail FILE_CHANGED; return 1; fi
}
_remove() {
  _entry "$2" "$1" || return
  if [ -d "$real" ] && [ ! -L "$real" ]; then
    rmdir "$real" 2>"$dir/err" || { _broke; return; }
  else
    rm -f "$real" 2>"$dir/err" || { _broke; return; }
  fi
  _say ok
}
_rename() {
  _entry "$3" "$1" || return
  from=$real
  _type "$from"
  was=$type
  _text "$4"
  _place "$t" 0 && _writable || return
  if [ -n "$folder" ] && [ "$was" != d ]; then _fail NOT_A_DIRECTORY; return; fi
  if [ -n "$rest" ]; then
    case ${rest#/} in */*) _fail FILE_NOT_FOUND; return ;; esac
    to=${real%/}$rest
  else
    to=$real
    ! _pinned "$to" || return
    _type "$to"
    if [ "$type" = d ] && [ "$was" != d ]; then _fail IS_DIRECTORY; return; fi
    if [ "$type" != d ] && [ "$was" = d ]; then _fail NOT_A_DIRECTORY; return; fi
    if [ "$from" = "$to" ]; then _say ok; return; fi
    if [ "$2" = 0 ]; then _fail FILE_EXISTS; return; fi
    if [ "$type" = d ]; then rmdir "$to" 2>"$dir/err" || { _fail FILE_EXISTS; return; }; fi
  fi
  case $to/ in "$from"/*) _fail INVALID_PATH; return ;; esac
  if [ "$2" = 1 ]; then how=-f; else how=-n; fi
  mv "$how" "$from" "$to" 2>"$dir/err" || { _broke; return; }
  if [ -e "$from" ] || [ -L "$from" ]; then _fail FILE_EXISTS; return; fi
  _say ok
}
# Shells that read their script from descriptor 3, so that no command line contains it.
# shellcheck disable=SC2016 # for those shells
_bash_reader='IFS= read -rd "" BASH_EXECUTION_STRING <&3; exec 3<&-; eval -- "$BASH_EXECUTION_STRING"'
# shellcheck disable=SC2016
_reader='_s=
while IFS= read -r _l <&3; do _s=$_s$_l"
"; done
exec 3<&-
eval "unset _s _l; $_s$_l"'
_exported() {
  trap - PIPE HUP TERM ALRM USR1 USR2
  [ "$read" = 0 ] || exec 3<"$pd/script"
  unset LC_ALL
  while :; do
    case ${1-} in
    =*) export "${1#=}"; shift ;;
    *) break ;;
    esac
  done
  shift
  exec "$@"
}
_supervise() {
  pd=$1 wanted=$2 shell=$3 script=$4 input=$5
  set --
  while read -r line; do
    _text "${line#?}"
    case $line in
    e*) set -- "$@" "=$t" ;;
    a*) [ -n "$wanted" ] || wanted=$t; set -- "$@" "$t" ;;
    -) set -- "$@" - "$setsid" ;;
    esac
  done <"$pd/spec"
  read=0
  if [ "$script" = 1 ]; then
    wanted=$shell bytes=$(stat -c %s "$pd/script") read=1
    case ${shell##*/} in
    bash) set -- "$@" "$shell" -c "$_bash_reader" "$shell" ;;
    sh | ash | dash | ksh | zsh)
      if [ "$bytes" -lt 16384 ]; then set -- "$@" "$shell" -c "$_reader"; else read=0; fi
      ;;
    *) read=0 ;;
    esac
    if [ "$read" = 1 ]; then
      :
    elif [ "$bytes" -lt 16384 ]; then
      t=$(cat "$pd/script"; echo _)
      set -- "$@" "$shell" -c "${t%_}"
    else
      set -- "$@" "$shell" "$pd/script"
    fi
  fi
  (
    while case ${1-} in =PATH=*) false ;; =*) true ;; *) false ;; esac do shift; done
    # shellcheck disable=SC2030,SC2031 # the command's PATH, only to look for it
    case ${1-} in =PATH=*) PATH=${1#=PATH=} ;; esac
    case $wanted in */*) [ -x "$wanted" ] && [ ! -d "$wanted" ] ;; *) command -v "$wanted" >/dev/null 2>&1 ;; esac
  ) || { echo PROGRAM_NOT_FOUND >"$pd/go"; return; }
  if [ "$input" = 1 ]; then
    mkfifo "$pd/in" "$pd/ctl"
    # Opened before the first write: the content of a pipe without an open end is lost.
    exec 4<>"$pd/ctl"
    (
      exec 3>"$pd/in"
      while read -r f <&4 && [ "$f" != eof ]; do
        cat "$f" >&3 || break
        rm -f "$f"
      done 2>/dev/null
      : >"$pd/closed"
    ) &
    feeder=$!
    (exec 4>&-; _exported "$@") <"$pd/in" >"$pd/o" 2>"$pd/e" &
  else
    (_exported "$@") </dev/null >"$pd/o" 2>"$pd/e" &
  fi
  child=$!
  echo "$child" >"$pd/pid"
  echo "$child" >"$pd/go"
  wait "$child"
  echo "$?" >"$pd/ending"
  mv "$pd/ending" "$pd/end"
  [ "$input" = 0 ] || kill -s KILL "$feeder" 2>/dev/null
}
_start() {
  pd=$dir/p.$1
  _text "$2"
  _place "$t" 1 || return
  if [ -n "$rest" ]; then _fail workdir-not-found; return; fi
  cd "$real" 2>/dev/null || { _fail workdir-not-found; return; }
  # shellcheck disable=SC2015 # either of them
  mkdir "$pd" && mkfifo "$pd/go" && mv "$dir/up.$3" "$pd/spec" || { _fail spawn-failed; return; }
  : >"$pd/o"
  : >"$pd/e"
  input=$6 script=0 shell=
  if [ "$4" != - ]; then
    mv "$dir/up.$4" "$pd/script"
    script=1
    _text "$5"
    shell=$t
  fi
  if [ -e "$dir/up.$3.broken" ] || [ -e "$dir/up.$4.broken" ]; then _fail spawn-failed; return; fi
  _supervise "$pd" "" "$shell" "$script" "$input" </dev/null >/dev/null 2>&1 &
  read -r answer <"$pd/go"
  rm -f "$pd/go"
  cd /
  case $answer in
  *[!0-9]* | '') rm -rf "$pd"; _fail "$answer" ;;
  *) _say ok "$answer" ;;
  esac
}
_state() {
  pd=$dir/p.$1 end=running open=1
  if [ -e "$pd/end" ]; then read -r end <"$pd/end"; fi
  if [ -e "$pd/closed" ]; then open=0; fi
  # shellcheck disable=SC2046 # two words
  set -- $(stat -c %s "$pd/o" "$pd/e")
  _say ok "$end" "$1" "$2" "$open"
}
_output() {
  dd if="$dir/p.$1/$2" bs=65536 skip="$3" count="$4" of="$dir/out" 2>/dev/null
  _send "$dir/out"
}
_input() {
  pd=$dir/p.$1
  if [ -e "$pd/closed" ] || [ -e "$pd/end" ]; then _fail STDIN_CLOSED; return; fi
  if [ "$2" = eof ]; then
    echo eof 1<>"$pd/ctl"
  elif [ "$2" != - ]; then
    if [ -e "$dir/up.$2.broken" ]; then _fail STDIN_FULL; return; fi
    mv "$dir/up.$2" "$pd/w.$2"
    echo "$pd/w.$2" 1<>"$pd/ctl"
  fi
  queued=0
  for f in "$pd"/w.*; do
    s=$(stat -c %s "$f" 2>/dev/null) && queued=$((queued + s))
  done
  _say ok "$queued"
}
_marked() {
  # shellcheck disable=SC2013 # names of /proc have no blanks
  for f in $(grep -lszF "HAFT_PROCESS=$1" /proc/[0-9]*/environ 2>/dev/null); do
    f=${f#/proc/}
    echo "${f%/environ}"
  done
}
_kill_group() {
  pd=$1 k=0 group=
  if [ -e "$pd/pid" ] && [ ! -e "$pd/end" ]; then
    read -r group <"$pd/pid"
    if [ "$3" = 1 ]; then
      kill -s "$2" "-$group" 2>/dev/null || kill -s "$2" "$group" 2>/dev/null
    else
      kill -s "$2" "$group" 2>/dev/null
    fi && k=1
  fi
}
_kill_marked() {
  for q in $(_marked "$1"); do
    line=
    read -r line 2>/dev/null <"/proc/$q/stat" || continue
    # shellcheck disable=SC2086 # its words
    set -- "$1" "$2" ${line##*) }
    if [ "${5-}" != "$group" ] && kill -s "$2" "$q" 2>/dev/null; then k=$((k + 1)); fi
  done
}
_signal() {
  _kill_group "$dir/p.$1" "$2" "$3"
  [ "$3" = 0 ] || _kill_marked "$me.$1." "$2"
  _say ok "$k"
}
_release() {
  rm -rf "$dir/p.$1"
  _say ok
}
_end() {
  trap '' HUP INT TERM
  tries=0
  [ -n "$me" ] || exit 1
  while [ "$tries" -lt 10 ]; do
    for pd in "$dir"/p.*; do _kill_group "$pd" KILL 1; done
    group=
    _kill_marked "$me." KILL
    tries=$((tries + 1))
    [ -n "$(_marked "$me.")" ] || break
  done
  case $dir in */haft-*) rm -rf "$dir" ;; esac
  exit 0
}
trap _end HUP INT TERM EXIT

if [ -n "$missing" ]; then
  _say ok haft-sh-1 0 0 - "=$missing"
  exit 1
fi
# shellcheck disable=SC2031 # changed in a subshell only
printf '%s\000%s\000%s\000' "${HOME-/}" "$PATH" "$(uname -s 2>/dev/null)" >"$dir/out"
_send "$dir/out" haft-sh-1 "$(id -u)" "$(id -g)" "$me" "=$missing"
exec 2>/dev/null
while read -r n op length a b c d e f; do
  if [ "$length" -gt 0 ]; then
    if [ "$op" = put ]; then
      _receive "$length" "$dir/body"
      # shellcheck disable=SC2015 # either of them
      cat "$dir/body" 2>/dev/null >>"$dir/up.$a" && [ ! -e "$dir/body.broken" ] || : >"$dir/up.$a.broken"
      rm -f "$dir/body" "$dir/body.broken"
      _say ok
      continue
    fi
    exit 1
  fi
  case $op in
  *@*)
    end=${op#*@} op=${op%@*}
    _now
    if [ "$now" -ge "$end" ]; then
      case $op in write | append) rm -f "$dir/up.$a" "$dir/up.$a.broken" ;; esac
      _fail SESSION_LEASE_LOST
      continue
    fi
    ;;
  esac
  case $op in
  mount)
    _text "$b"
    # shellcheck disable=SC2015 # either of them
    real=$(readlink -f "$t" 2>/dev/null && echo _) && [ -d "${real%?_}" ] || { _fail ROOT_INVALID; continue; }
    eval "m_$m=\${real%?_} a_$m=\$a"
    m=$((m + 1))
    _say ok
    ;;
  stat | realpath | list | read | write | append | mkdirp | remove | rename | start | state | output | input | signal | release)
    "_$op" "$a" "$b" "$c" "$d" "$e" "$f"
    case $op in write | append) rm -f "$dir/up.$a" "$dir/up.$a.broken" ;; esac
    ;;
  mounts)
    cat /proc/self/mountinfo 2>/dev/null >"$dir/out"
    _send "$dir/out"
    ;;
  ping)
    _say ok
    ;;
  clock)
    _now
    _say ok "$now"
    ;;
  drop)
    rm -f "$dir/up.$a" "$dir/up.$a.broken"
    _say ok
    ;;
  *) _fail UNKNOWN ;;
  esac
done
