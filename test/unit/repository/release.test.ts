/**
 * Goal: a release is made whole or not at all, and by default only described. Method: the script in
 * a small repository with this project's package files.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'

const script = 'runtime/deploy/release.sh'
const [major, minor] = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  .version.split('.')
  .map(Number)
const next = `${major}.${minor + 1}.0`
const today = () => new Date().toISOString().slice(0, 10)

function repository(t: Test, version = next) {
  const dir = t.testdir()
  for (const folder of ['runtime/deploy', 'test/fixtures/versions']) {
    mkdirSync(join(dir, folder), { recursive: true })
  }
  writeFileSync(join(dir, `test/fixtures/versions/${version}.json`), '{}')
  for (const file of [script, 'package.json', 'package-lock.json']) {
    copyFileSync(join(packageRoot, file), join(dir, file))
  }
  const changes = join(dir, 'CHANGELOG.md')
  writeFileSync(
    changes,
    `# Changes\n\n## ${version}, unreleased\n\n- New.\n\n## 0.0.1, 2020-01-01\n`,
  )
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: dir, encoding: 'utf8' }).trim()
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Test')
  git('config', 'user.email', 'test@example.com')
  git('add', '.')
  git('commit', '-q', '-m', 'First')
  const read = (name: string) => readFileSync(join(dir, name), 'utf8')
  const release = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync('sh', [join(dir, script), ...args], {
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }
  return { dir, git, read, release }
}

t.test('without --write it says what it would do, and does nothing', async (t) => {
  const { git, release } = repository(t)
  const { status, stdout } = release(next)
  t.equal(status, 0)
  t.match(stdout, `"## ${next}, ${today()}"`)
  t.match(stdout, 'Nothing was changed')
  t.equal(git('status', '--porcelain'), '')
  t.equal(git('tag'), '')
})

t.test('with --write it sets version and date, commits and tags', async (t) => {
  const { git, read, release } = repository(t)
  const { status, stderr } = release(next, '--write')
  t.equal(status, 0, stderr)
  t.equal(JSON.parse(read('package.json')).version, next)
  const { version, packages } = JSON.parse(read('package-lock.json'))
  t.same([version, packages[''].version], [next, next])
  t.notMatch(read('package-lock.json'), '"resolved"')
  t.match(read('CHANGELOG.md'), `# Changes\n\n## ${next}, ${today()}\n\n- New.`)
  t.equal(git('log', '-1', '--format=%s'), `Release ${next}`)
  t.equal(git('rev-parse', `v${next}^{commit}`), git('rev-parse', 'HEAD'))
  t.equal(git('status', '--porcelain'), '')
  const again = release(next, '--write')
  t.equal(again.status, 1)
  t.match(again.stderr, /tag .* exists/)
})

t.test('it refuses with all reasons at once, and changes nothing', async (t) => {
  const { dir, git, read, release } = repository(t)
  writeFileSync(join(dir, 'stray.txt'), '')
  const { status, stderr } = release('0.0.1', '--write')
  t.equal(status, 1)
  t.match(stderr, 'uncommitted changes')
  t.match(stderr, 'There is no test/fixtures/versions/0.0.1.json')
  t.match(stderr, 'is lower than the current version')
  t.match(stderr, `CHANGELOG.md begins with "## ${next}, unreleased"`)
  t.equal(git('tag'), '')
  t.not(JSON.parse(read('package.json')).version, '0.0.1')
})

t.test('the present version is released if it has no tag yet', async (t) => {
  const present = `${JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version}`
  const { git, release } = repository(t, present)
  const { status, stderr } = release(present, '--write')
  t.equal(status, 0, stderr)
  t.equal(git('tag'), `v${present}`)
})

t.test('what is no version is refused', async (t) => {
  const { release } = repository(t)
  for (const args of [[], ['1.2'], ['v1.2.3'], ['1.02.3'], [next, '--now']]) {
    const { status, stderr } = release(...args)
    t.equal(status, 1, args.join(' '))
    t.match(stderr, 'use: npm run release -- X.Y.Z')
  }
})
