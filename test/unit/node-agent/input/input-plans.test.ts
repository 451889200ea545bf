/** Goal: key names, drag paths and wheel turns are computed correctly, without a display. */
import t from 'tap'
import { keyLayout } from '../../../../node-agent/input/x11/key-layout.ts'
import { keysymOfCharacter, keysymOfName } from '../../../../node-agent/input/key-names.ts'
import { dragPath, wheelPlan } from '../../../../node-agent/input/pointer-path.ts'

t.test('keys have the contract’s names, in any case', async (t) => {
  t.equal(keysymOfName('CTRL'), keysymOfName('Control'))
  t.equal(keysymOfName('Return'), keysymOfName('enter'))
  t.equal(keysymOfName('A'), 0x61)
  t.equal(keysymOfName('F12'), 0xffc9)
  for (const name of ['F13', '', 'constructor', 'Nope']) {
    t.throws(() => keysymOfName(name), /no key named/)
  }
})

t.test('characters are Latin-1, keys or Unicode', async (t) => {
  t.equal(keysymOfCharacter('é'), 0xe9)
  t.equal(keysymOfCharacter('\n'), 0xff0d)
  t.equal(keysymOfCharacter('🎉'), 0x0101f389)
})

t.test('a drag ends at its target', async (t) => {
  t.same(dragPath({ x: 0, y: 9 }, { x: 100, y: 3 }).at(-1), { x: 100, y: 3 })
})

t.test('wheel units are distributed over the steps without loss', async (t) => {
  t.same(wheelPlan({ x: 0, y: 3 }, 2), [[5, 5], [5]])
  t.same(wheelPlan({ x: -1, y: -2 }, 1), [[4, 4, 6]])
})

t.test('a keyboard layout has the right levels', async (t) => {
  const layout = keyLayout({
    first: 8,
    rows: [
      [0x61, 0x41],
      [0x41, 0],
    ],
  })
  t.same(layout.get(0x61), { keycode: 8, shift: false })
  t.same(layout.get(0x41), { keycode: 9, shift: false }, 'without Shift where that can be')
  t.equal(layout.get(0x62), undefined)
})
