#!/bin/sh
# Makes a release: npm run release -- X.Y.Z           says what would be done
#                  npm run release -- X.Y.Z --write   does it: version, date in CHANGELOG.md, commit, tag
# Nothing is pushed or published; the last lines say how.
set -eu
cd "$(dirname "$0")/../.."

say() { printf 'release: %s\n' "$*"; }
stop() {
  printf 'release: %s\n' "$@" >&2
  exit 1
}
usage='use: npm run release -- X.Y.Z [--write]'

[ $# -ge 1 ] && [ $# -le 2 ] || stop "$usage"
version=$1
case ${2:-} in
  '') writes='' ;;
  --write) writes=yes ;;
  *) stop "unknown option $2; $usage" ;;
esac
printf '%s\n' "$version" | grep -Eqx '(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}' ||
  stop "$version is not a version such as 1.2.3; $usage"

present=$(node -p 'require("./package.json").version')
tag=v$version

# --- May it be made? Everything that is wrong is said at once. ---

wrong=''
no() { wrong="$wrong
release: $*"; }

git symbolic-ref -q HEAD >/dev/null || no 'HEAD is not on a branch; check out the branch to release from.'
[ -z "$(git status --porcelain)" ] || no 'There are uncommitted changes; commit or stash them.'
! git rev-parse -q --verify "refs/tags/$tag" >/dev/null ||
  no "The tag $tag already exists; choose a higher version."
# The present version may be released if it has not been yet.
highest=$(printf '%s\n' "$present" "$version" | sort -V | tail -n 1)
[ "$highest" = "$version" ] || no "$version is lower than the current version $present."
heading=$(grep -m 1 '^## ' CHANGELOG.md || true)
[ "$heading" = "## $version, unreleased" ] ||
  no "CHANGELOG.md begins with \"$heading\", not with \"## $version, unreleased\"; describe the changes there first."
samples=test/fixtures/versions/$version.json
[ -e "$samples" ] ||
  no "There is no $samples; npm run build && node dist/test/helpers/versions/write.js $version"
[ -z "$wrong" ] || stop "$version cannot be released.$wrong"

# --- Do it, or say it ---

today=$(date -u +%Y-%m-%d)
if [ -z "$writes" ]; then
  say "would set $present to $version in package.json and package-lock.json,"
  say "      write \"## $version, $today\" into CHANGELOG.md,"
  say "      commit them as \"Release $version\" on $(git symbolic-ref --short HEAD), and tag that $tag."
  say 'Nothing was changed. Add --write to do it.'
  exit 0
fi

npm version "$version" --no-git-tag-version --allow-same-version --ignore-scripts >/dev/null
VERSION=$version TODAY=$today node -e '
  const { readFileSync, writeFileSync } = require("node:fs")
  const { VERSION, TODAY } = process.env
  const text = readFileSync("CHANGELOG.md", "utf8")
  writeFileSync("CHANGELOG.md", text.replace(`## ${VERSION}, unreleased`, `## ${VERSION}, ${TODAY}`))
'
git commit -q -m "Release $version" -- package.json package-lock.json CHANGELOG.md
git tag -a "$tag" -m "Release $version"
say "committed and tagged $tag. To publish it:"
say "  git push --follow-tags"
say '  npm publish'
