/**
 * Goal: faults are put where a person could make them, one at a time, and nothing of them stays; the
 * same seed puts the same ones. Method: small modules, and the compiled product.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { draw } from '../../mutations/draw.ts'
import { nearestTests } from '../../mutations/nearest.ts'
import { applied, mutationsIn, operatorNames } from '../../mutations/operators.ts'
import { usualJobs } from '../../mutations/passes.ts'
import { placed, protocolFaults } from '../../mutations/protocol-faults.ts'
import { openFaultyTree, placeOf } from '../../mutations/tree.ts'
import { graphOf } from '../../run/changed/source-graph.ts'

/** What each mutation makes of the module. */
const madeOf = (code: string) =>
  mutationsIn(code).map((mutation) => `${mutation.operator}: ${applied(code, mutation)}`)

const cases: Readonly<Record<string, readonly string[]>> = {
  'if (a) b()': ['condition: if (!(a)) b()'],
  'x = a ? 1 : 2': ['condition: x = !(a) ? 1 : 2'],
  'await go()': ['await: (go())'],
  'x = a < 3': ['boundary: x = a <= 3'],
  'this.room.admit(caller)': ['check: ;'],
  'await requireStaff(a)': ['check: ;', 'await: (requireStaff(a))'],
  "x = [{ target: 'a' }, { target: 'b' }]": [
    "state: x = [{ target: 'b' }, { target: 'b' }]",
    "state: x = [{ target: 'a' }, { target: 'a' }]",
  ],
  'setTimeout(f, waitMs)': ['deadline: setTimeout(f, ((waitMs) * 10000))'],
  'clock.timer(waitMs, f)': ['deadline: clock.timer(((waitMs) * 10000), f)'],
  "x = 'if (a) b() < await c' // if (a)": [],
  'list.push(a)': [],
}

for (const [code, expected] of Object.entries(cases)) {
  t.test(`faults in ${code}`, async (t) => t.same(madeOf(code).toSorted(), expected.toSorted()))
}

t.test('a seed draws the same faults of the product each time, of every operator', async (t) => {
  const dist = join(packageRoot, 'dist')
  const rooms = ['actors']
  const drawn = draw(dist, 7, 60, rooms)
  t.equal(drawn.length, 60)
  t.same(new Set(drawn.map(({ operator }) => operator)), new Set(operatorNames))
  t.same(draw(dist, 7, 60, rooms), drawn)
  t.notSame(draw(dist, 8, 60, rooms), drawn)
  const [first] = drawn
  t.match(placeOf(packageRoot, first!), /^[\w/-]+\.ts:\d+$/)
})

t.test('each mistake in the protocol has its place in the code, a name and a test', async (t) => {
  const titles = usualJobs(join(packageRoot, 'dist/test'))
  for (const fault of protocolFaults) {
    t.doesNotThrow(() => placed(fault), fault.name)
    t.ok(titles.has(fault.foundBy), fault.foundBy)
  }
  t.equal(new Set(protocolFaults.map(({ name }) => name)).size, protocolFaults.length)
  t.ok(protocolFaults.length >= 25)
})

t.test('a fault is there while its tests run, and gone after them', async (t) => {
  const root = t.testdir()
  mkdirSync(join(root, 'dist'))
  writeFileSync(join(root, 'package.json'), '{}')
  writeFileSync(join(root, 'dist/a.js'), 'if (a) b()')
  mkdirSync(join(root, 'runtime/deploy'), { recursive: true })
  const bundler = `
    const { cpSync } = require('node:fs')
    const dist = require('node:path').join(__dirname, '../../dist')
    cpSync(dist + '/a.js', dist + '/bundled.js')`
  writeFileSync(join(root, 'runtime/deploy/bundle.js'), bundler)
  const tree = openFaultyTree(root, join(root, '.out/tree'))
  const read = () => readFileSync(join(root, '.out/tree/dist/a.js'), 'utf8')
  const [mutation] = mutationsIn('if (a) b()')
  const fault = { ...mutation!, file: 'a.js', before: 'a' }
  const bundled = join(root, '.out/tree/dist/bundled.js')
  t.equal(await tree.with(fault, async () => read()), 'if (!(a)) b()')
  t.equal(readFileSync(bundled, 'utf8'), 'if (!(a)) b()', 'programs are started from bundles')
  t.equal(read(), 'if (a) b()')
  await t.rejects(tree.with(fault, () => Promise.reject(new Error('it broke'))))
  t.equal(read(), 'if (a) b()')
  t.equal(readFileSync(join(root, 'dist/a.js'), 'utf8'), 'if (a) b()')
  t.equal(readFileSync(join(root, '.out/tree/package.json'), 'utf8'), '{}')
})

t.test('the tests of the same name look first, then those that need fewer steps', async (t) => {
  const uses = (path: string) => `import { a } from '${path}'`
  const graph = graphOf(
    new Map([
      ['runtime/store/shares.ts', ''],
      ['test/helpers/all.ts', uses('../../runtime/store/shares.ts')],
      ['test/contract/far.test.ts', uses('../helpers/all.ts')],
      ['test/contract/near.test.ts', uses('../../runtime/store/shares.ts')],
      ['test/unit/runtime/store/shares.test.ts', uses('../../../../runtime/store/shares.ts')],
      ['test/unit/repository/lint.test.ts', uses('../../../runtime/store/shares.ts')],
    ]),
  )
  t.same(nearestTests(graph, 'runtime/store/shares.ts', 3), [
    'test/unit/runtime/store/shares',
    'test/contract/near',
    'test/contract/far',
  ])
  t.equal(nearestTests(graph, 'runtime/store/shares.ts', 1).length, 1)
})
