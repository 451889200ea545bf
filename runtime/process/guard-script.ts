/** The shell program of a guard. It needs nothing of this process, which may be gone when it works. */
import { processLimits } from './limits.ts'

/** Shell code that removes `$path`, whose folders may be closed to their owner. */
export const removalScript =
  'rm -rf -- "$path" || { chmod -R u+rwX -- "$path"; rm -rf -- "$path"; }'

/**
 * Commands: `add <key> <pgid> <start time> <grace>\t<heir>\t<path>\t…` (replaces an entry), `remove <key>`,
 * and `alone`: nothing waits for an heir.
 * Killed processes may still write for a moment, so both steps are repeated until nothing is left.
 *
 * Entries with a grace, in seconds, wait for another process that takes them over: it makes the folder
 * `heir`. Making a folder succeeds once, so after the grace either this shell has the entry or the other.
 *
 * $1 and $2: pid and start time of the process that would start an heir, if there is one. No heir comes
 * without it.
 */
export const guardScript = `
exec 2>/dev/null
trap '' HUP INT TERM QUIT
set -f
tab=$(printf '\\t')
list=

without() {
  kept=
  while IFS= read -r other; do
    case $other in '' | "$1 "*) ;; *) kept="$kept$other
" ;; esac
  done <<END
$list
END
  list=$kept
}

ours() {
  read -r stat </proc/$1/stat || return 0
  set -- "$2" \${stat##*) }
  [ "$1" = "\${21}" ]
}

running() {
  read -r stat </proc/$1/stat || return 1
  set -- "$2" \${stat##*) }
  [ "$1" = "\${21}" ] && [ "$2" != Z ]
}

# The socket's name may belong to another server by now.
listening() {
  [ -S "$1" ] || return 1
  while IFS= read -r socket; do
    case $socket in *" $1") return 0 ;; esac
  done </proc/net/unix
  return 1
}

# Several entries may have one heir.
inherited=
taken() {
  case $inherited in *"$tab$1$tab"*) return 1 ;; esac
  [ -d "$1" ] && return 0
  # The heir has removed everything by now.
  [ -d "\${1%/*}" ] || return 0
  [ $waited -lt "$2" ] && return 1
  mkdir -- "$1" || return 0
  inherited="$inherited$tab$1$tab"
  return 1
}

finish() {
  round=0
  left=1
  while [ -n "$left" ] && [ $round -lt ${processLimits.guardRounds} ]; do
    left=
    while IFS= read -r entry; do
      [ -z "$entry" ] && continue
      head=\${entry%%"$tab"*}
      paths=\${entry#*"$tab"}
      set -- $head
      [ "$2" -gt 0 ] && ours "$2" "$3" && kill -s KILL -- "-$2" && left=1
      IFS=$tab
      for path in \${paths#*"$tab"}; do
        [ -z "$path" ] && continue
        listening "$path" && continue
        # A control group is a folder whose files cannot be removed.
        [ -d "$path" ] && rmdir -- "$path"
        ${removalScript}
        [ -e "$path" ] && left=1
      done
      unset IFS
    done <<END
$list
END
    round=$((round + 1))
    [ -n "$left" ] && sleep 0.1
  done
}

# Keeps in $waiting what may still be taken over, and in $list what is to end now.
sort_out() {
  all=$list$waiting
  list=
  waiting=
  while IFS= read -r entry; do
    [ -z "$entry" ] && continue
    head=\${entry%%"$tab"*}
    heir=\${entry#*"$tab"}
    heir=\${heir%%"$tab"*}
    set -- $head
    if [ "$4" -gt 0 ] && [ -z "$alone" ]; then
      taken "$heir" "$4" && continue
      case $inherited in *"$tab$heir$tab"*) ;; *) waiting="$waiting$entry
"; continue ;; esac
    fi
    list="$list$entry
"
  done <<END
$all
END
}

alone=
while IFS= read -r order; do
  entry=\${order#* }
  without "\${entry%% *}"
  case $order in 'add '*) list="$list$entry
" ;; alone) alone=1 ;; esac
done

waited=0
waiting=
while :; do
  [ -n "$1" ] && ! running "$1" "$2" && alone=1
  sort_out
  finish
  [ -z "$waiting" ] && break
  sleep 1
  waited=$((waited + 1))
  list=
done
`
