/**
 * Goal: `npm test -- --changed` runs what a change reaches, and leaves out only what it cannot reach.
 * Method: sources that are made up, the real ones, and a small git repository.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { changedFiles } from '../../run/changed/changed-files.ts'
import { reachedTitles } from '../../run/changed/reached.ts'
import { graphOf, readSourceGraph } from '../../run/changed/source-graph.ts'
import { readOptions } from '../../run/options.ts'

const madeUp = graphOf(
  new Map([
    ['proto/a.ts', 'export const a = 1'],
    ['proto/type.ts', 'export interface T {}'],
    [
      'gateway/b.ts',
      "import { a } from '../proto/a.ts'\nimport type { T } from '../proto/type.ts'",
    ],
    ['gateway/main.ts', "const b = await import('./b.ts')"],
    ['runtime/programs.ts', "const files = { gateway: 'gateway/main.js' }"],
    ['test/helpers/service.ts', "const up = new URL('../../runtime/programs.js', import.meta.url)"],
    ['test/unit/a.test.ts', "import {\n  a,\n} from '../../proto/a.ts'"],
    ['test/unit/b.test.ts', "import * as b from '../../gateway/b.ts'"],
    ['test/unit/repository/lint.test.ts', ''],
    ['test/contract/all.test.ts', "import { up } from '../helpers/service.ts'"],
    ['test/contract/docs/guides.test.ts', ''],
  ]),
)
const reached = (...files: string[]) => [...reachedTitles(madeUp, files)].toSorted()
const lint = 'test/unit/repository/lint'

t.test('a file reaches what imports it, or starts what imports it', async (t) => {
  const all = ['test/contract/all', 'test/unit/a', 'test/unit/b', lint]
  t.same(reached('proto/a.ts'), all)
  t.same(reached('gateway/b.ts'), ['test/contract/all', 'test/unit/b', lint])
  t.same(reached('test/unit/a.test.ts'), ['test/unit/a', lint])
  t.same(reached('proto/type.ts'), [lint], 'types are gone when code runs')
  t.same(reached('proto/removed.ts'), [lint])
})

t.test('what is no source reaches what the sources near it do', async (t) => {
  t.same(reached('gateway/web/live/live.css'), ['test/contract/all', 'test/unit/b', lint])
  t.same(reached('gateway/README.md'), ['test/contract/docs/guides', lint])
  t.equal(reached('package-lock.json').length, 5, 'what is installed is for all')
  t.same(reached(), [], 'no change reaches nothing')
})

t.test('the real sources: a role reaches the tests of whole services', async (t) => {
  const graph = readSourceGraph(packageRoot)
  const titles = reachedTitles(graph, ['node-agent/line-files/room.ts'])
  t.ok(titles.has('test/unit/node-agent/line-files/line-files'))
  t.ok(titles.has('test/contract/logs/traces'))
  t.notOk(titles.has('test/unit/gateway/routing/idempotency'))
  t.notOk(titles.has('test/sim/runtime/seeds'))
})

t.test(
  'git says what has changed since a commit, and since the branch left its upstream',
  async (t) => {
    const root = t.testdir()
    const git = (...args: string[]) => {
      const who = ['-c', 'user.name=n', '-c', 'user.email=e@example.com']
      execFileSync('git', [...who, ...args], { cwd: root, stdio: 'pipe' })
    }
    git('init', '-q', '-b', 'main')
    for (const name of ['a', 'b', 'c']) writeFileSync(join(root, name), name)
    git('add', '.')
    git('commit', '-qm', 'first')
    git('checkout', '-qb', 'work', '--track')
    t.same(changedFiles(root), [])
    appendFileSync(join(root, 'a'), '!')
    git('commit', '-qam', 'second')
    git('mv', 'b', 'moved')
    writeFileSync(join(root, 'new'), '')
    t.same(changedFiles(root).toSorted(), ['a', 'b', 'moved', 'new'])
    t.same(changedFiles(root, 'HEAD').toSorted(), ['b', 'moved', 'new'])
    git('branch', '--unset-upstream')
    t.same(
      changedFiles(root).toSorted(),
      ['b', 'moved', 'new'],
      'no upstream: what is not committed',
    )
    t.throws(() => changedFiles(root, 'no-such-branch'), /no-such-branch/)
  },
)

t.test('the options', async (t) => {
  t.notOk(readOptions([])?.changed)
  t.same(readOptions(['--changed'])?.changed, {})
  t.same(readOptions(['--since', 'main', 'unit'])?.changed, { since: 'main' })
})
