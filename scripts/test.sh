#!/bin/sh
# The tests of a tier (HAFT_TIER, `test` by default: see CONTRIBUTING.md), or those of the files named.
# They make and remove files by the hundred thousand, and a file system without a journal passes over each inode that was freed
# lately before it takes one. So their temporary folder is in memory where this user may mount one: for this run alone, in a mount
# namespace that goes with its last process.
set -eu
# Files that are named run whatever tier they belong to.
for argument; do
  case $argument in
    -*) ;;
    */* | *.test*) export HAFT_TIER="${HAFT_TIER:-all}" ;;
  esac
done
run='exec npx --yes pnpm@12.21.0 exec vitest run "$@"'
folder=$(mktemp -d "${TMPDIR:-/tmp}/t.XXXXXX")
trap 'rmdir "$folder"' EXIT
if [ "$(id -u)" = 0 ] && unshare --mount mount -t tmpfs haft-tests "$folder" 2>/dev/null; then
  export TMPDIR="$folder"
  unshare --mount --propagation private sh -c "mount -t tmpfs -o mode=1777 haft-tests \"\$TMPDIR\"; $run" sh "$@"
else
  sh -c "$run" sh "$@"
fi
