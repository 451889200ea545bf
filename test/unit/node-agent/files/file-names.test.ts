/** Goal: whatever a file is called, its stored name is one safe path component, and unique. */
import fc from 'fast-check'
import t from 'tap'
import { freeName, safeName } from '../../../../node-agent/files/names.ts'
import { folderLimits } from '../../../../node-agent/files/limits.ts'

const bytesOf = (name: string) => Buffer.byteLength(name)

t.test('valid names are unchanged', async (t) => {
  for (const name of ['a.txt', 'Résumé 2.pdf', '报告.xlsx', 'a.tar.gz', '🎉.png', "it's (1).md"]) {
    t.equal(safeName(name), name)
  }
})

t.test('no name leads to another folder, hides a file or misleads', async (t) => {
  const cases = {
    '../../etc/passwd': 'passwd',
    '/absolute': 'absolute',
    'C:\\Users\\me\\a.txt': 'a.txt',
    '.bashrc': 'bashrc',
    'nul\0byte.txt': 'nulbyte.txt',
    'line\r\nbreak': 'linebreak',
    'x\u202egpj.exe': 'xgpj.exe',
    'a<b>:"c|?*.txt': 'a_b___c___.txt',
    'trailing. . ': 'trailing',
    CON: '_CON',
    'lpt1.txt': '_lpt1.txt',
    '': 'file',
    '..': 'file',
    '/': 'file',
    '\ud800': 'file',
  }
  for (const [given, wanted] of Object.entries(cases)) t.equal(safeName(given), wanted, given)
})

t.test('a long name is cut between characters and keeps its extension', async (t) => {
  const long = safeName(`${'é'.repeat(300)}.pdf`)
  t.equal(long, `${'é'.repeat((folderLimits.fileNameBytes - 4) / 2)}.pdf`)
  t.equal(bytesOf(safeName('x'.repeat(1_000))), folderLimits.fileNameBytes)
  t.ok(bytesOf(safeName(`.${'x'.repeat(1_000)}`)) <= folderLimits.fileNameBytes)
})

t.test('any text becomes a name, and a name is unchanged by repetition', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      const name = safeName(text)
      const isSafe =
        name !== '' &&
        !/^\.|[/\\\p{Cc}\p{Cs}]/u.test(name) &&
        bytesOf(name) <= folderLimits.fileNameBytes + 1
      return isSafe && safeName(name) === name
    }),
  )
})

t.test('a taken name gets the next number', async (t) => {
  const taken = new Set(['a.txt', 'a (1).txt', 'b', 'c.tar.gz'])
  const free = (name: string) => freeName(name, (one) => taken.has(one))
  t.equal(free('new'), 'new')
  t.equal(free('a.txt'), 'a (2).txt')
  t.equal(free('b'), 'b (1)')
  t.equal(free('c.tar.gz'), 'c.tar (1).gz')
  const long = safeName(`${'x'.repeat(300)}.pdf`)
  taken.add(long)
  t.match(free(long), /^x+ \(1\)\.pdf$/)
  t.equal(bytesOf(free(long)), folderLimits.fileNameBytes)
})
