// Goal: the census counts what it says. Method: a small tree.
import t from 'tap'
import { countRoom } from '../../census/census.ts'

const row = ['one', 'two', 'three', 'four', 'five', 'six'].map((name) => `tell('${name}')`)

t.test('a room is counted by its syntax, not by its text', async (t) => {
  const root = t.testdir({
    room: {
      'a.ts': `import { x } from './x.ts'
// x as Comment
const a = x as string
const b = 'x as string!' as const

export const c = a!.length
t.equal(a, b)
other.equal(a, b)
${row.join('\n')}
`,
      deep: {
        'b.tsx': `export const Page = () => {\n  ${row.join('\n\n  ')}\n  return <p>1</p>\n}\n`,
      },
      fixtures: { 'c.ts': 'not typescript' },
      'd.md': '# no source',
    },
  })
  t.same(countRoom(root, 'room'), {
    ...{ folders: 2, files: 2, smallFiles: 2, lines: 22 },
    ...{ statements: 19, casts: 1, nonNulls: 1, assertions: 1, repeated: 12 },
  })
})

t.test('a file that does not parse is named', async (t) => {
  t.throws(() => countRoom(t.testdir({ room: { 'a.ts': 'const = 1' } }), 'room'), /a\.ts: /)
})
