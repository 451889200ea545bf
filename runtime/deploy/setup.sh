#!/bin/sh
# Prepares this machine and this folder for Troupe: Debian packages, npm packages, build. `npm start`,
# `npm test` and `npm run bench` run it first; the last two pass `test` or `bench`, for what only they
# need; `npm run setup -- recording` also installs what recordings of sessions need. What is installed
# already is skipped, so a second run needs no network and takes a fraction of a second. With `check` it installs nothing and says what a run would do: `troupe doctor` before
# the first build.
set -eu
cd "$(dirname "$0")/../.."

mode=${1:-service}
checks() { [ "$mode" = check ]; }
say() { printf 'setup: %s\n' "$*"; }
stop() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# --- Node ---

# The same as `engines` of package.json and runtime/cli/terminal/node-version.ts; a test compares them.
needed_node='Node.js 20.19, 22.12, 24 or newer is needed'
where_node='https://nodejs.org/en/download'
have node || stop "$needed_node: $where_node"
node -e '
  const [a, b] = process.versions.node.split(".").map(Number)
  process.exit(a >= 24 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)
' || stop "$needed_node, this is $(node --version): $where_node"

# --- Debian packages: checked by the programs and fonts they bring, so others are accepted too ---

has_program() { have "$1"; }
# Debian installs it in /usr/sbin, which is not in the PATH of normal users.
has_nats_server() (PATH="$PATH:/usr/sbin:/usr/local/sbin" && have "${NATS_SERVER_BIN:-nats-server}")
# The languages of all installed fonts, read once: `:lang=en|fi`, one line per font.
languages=$(! have fc-list || fc-list : lang | tr ':=\n' '|||')
has_font() {
  case "|$languages|" in
    *"|$1|"*) ;;
    *) return 1 ;;
  esac
}

is_there() {
  case $2 in
    chromium) have "${CHROMIUM_BIN:-chromium}" ;;
    nats-server) [ -n "${NATS_URL:-}" ] || has_nats_server ;;
    *) "has_$1" "$2" ;;
  esac
}

missing=''
while read -r used_by kind what package _; do
  case $used_by in
    service | desktop | "$mode") ;;
    recording) [ "$mode" = test ] || continue ;;
    *) continue ;;
  esac
  case " $missing " in
    *" $package "*) ;;
    *) is_there "$kind" "$what" || missing="$missing $package" ;;
  esac
done <runtime/deploy/debian-packages.txt

if checks && [ -n "$missing" ]; then
  say "missing Debian packages:$missing"
elif [ -n "$missing" ]; then
  missing=${missing# }
  have apt-get || stop "missing here: $missing" \
    'These are the Debian names: install them with the package manager of this system and start again.'
  install="apt-get install --yes --no-install-recommends $missing"
  if [ "$(id -u)" -eq 0 ]; then
    as_root=''
  elif have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    as_root='sudo'
  else
    stop "missing here: $missing" 'Run this as root, then start again:' "  apt-get update && $install"
  fi
  say "installing Debian packages: $missing"
  $as_root apt-get -qq update || say 'apt-get update failed; trying with the existing package lists'
  case " $missing " in
    *' chromium '*)
      # Ubuntu's Chromium is a snap, which cannot store its profile where the service needs it.
      [ -n "$(apt-cache madison chromium 2>/dev/null)" ] ||
        stop 'this system has no chromium package (Ubuntu has Chromium only as a snap, which does not work here).' \
          'Install Google Chrome (https://www.google.com/chrome) and start again with CHROMIUM_BIN=google-chrome-stable'
      ;;
  esac
  $as_root env DEBIAN_FRONTEND=noninteractive $install >/dev/null ||
    stop 'the installation failed; its messages are above. The command was:' "  ${as_root:+$as_root }$install"
fi

# --- npm packages: installed if node_modules differs from package-lock.json ---

node_modules_match() {
  node -e '
    const { readFileSync } = require("node:fs")
    const packages = (file) => JSON.parse(readFileSync(file, "utf8")).packages
    const wanted = packages("package-lock.json")
    const there = packages("node_modules/.package-lock.json")
    // Another build may be installed, for a Node version without a binary in our package.
    const isOurChoice = (path) => !/^node_modules\/uWebSockets\.js(\/|$)/.test(path)
    const wrong = Object.entries(wanted).some(([path, { version, optional }]) =>
      path !== "" && isOurChoice(path) &&
      (there[path] ? there[path].version !== version : !optional))
    process.exit(wrong ? 1 : 0)
  ' 2>/dev/null
}

if checks; then
  node_modules_match || say 'missing npm packages: node_modules does not match package-lock.json'
elif ! node_modules_match; then
  say 'installing npm packages; the first time this takes a few minutes'
  # The compiler is a development package and always needed here, so NODE_ENV is ignored.
  npm ci --include=dev --no-audit --no-fund --loglevel=error || stop 'npm ci failed; its messages are above'
fi

# --- Build: compiled if a source has changed since the last build ---

sources() {
  find proto runtime actors gateway node-agent test -type f \
    \( -name '*.ts' -o -name '*.tsx' -o -name tsconfig.json \) | LC_ALL=C sort
}
fingerprint() { sources | xargs cksum tsconfig.json package-lock.json runtime/deploy/bundle.js; }

stamp=dist/.sources
if checks; then
  if [ -f "$stamp" ] && [ "$(fingerprint)" = "$(cat "$stamp")" ]; then
    exit 0
  fi
  say 'nothing is built yet: `npm start` installs what is missing, builds and starts the service;'
  stop '`npm run setup` does the same without starting it. Then run the doctor again.'
fi
if [ ! -f "$stamp" ] || [ "$(fingerprint)" != "$(cat "$stamp")" ]; then
  say 'compiling'
  [ -f "$stamp" ] || rm -f dist/.*tsbuildinfo
  rm -f "$stamp"
  before=$(fingerprint)
  node_modules/.bin/tsc -b || stop 'the sources do not compile; the errors are above'
  # Output of deleted sources would still run, above all tests.
  find dist -name '*.js' -type f -not -path 'dist/bundle/*' | while read -r output; do
    source=${output#dist/}
    source=${source%.js}
    [ -f "$source.ts" ] || [ -f "$source.tsx" ] || rm -f "$output" "$output.map" "dist/$source.d.ts"
  done
  node runtime/deploy/bundle.js || stop 'the programs could not be bundled; the errors are above'
  printf '%s\n' "$before" >"$stamp"
fi
