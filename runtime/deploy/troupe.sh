#!/bin/sh
# `npm run troupe -- …`: the command line of this folder, also before anything is built. File names
# among the arguments are relative to where npm was called.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
main=$here/../../dist/bundle/troupe.js

if [ ! -f "$main" ]; then
  [ "${1:-}" != doctor ] || exec sh "$here/setup.sh" check
  echo 'troupe: nothing is built yet: `npm start` builds and starts the service, `npm run setup` only builds.' >&2
  exit 1
fi
[ -z "${INIT_CWD:-}" ] || cd "$INIT_CWD"
exec node "$main" "$@"
