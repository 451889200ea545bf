/**
 * Goal: controls that are drawn by their labels, and hidden in one of the ways that style sheets know,
 * are acted on through these labels. Method: a page with each kind of control hidden in each way.
 */
import t from 'tap'
import { at, openFixtures } from '../../helpers/browser/page-session.ts'

const { open, run, click, refusal, acted, see } = await openFixtures(t)

const kinds = { box: 'checkbox', choice: 'radio', toggle: 'switch', file: 'button' } as const
const ways = await (async () => {
  await open('hidden-controls')
  return see<string[]>('ways')
})()

for (const [kind, role] of Object.entries(kinds)) {
  t.test(`${role}: ${ways.join(', ')}`, async (t) => {
    await open('hidden-controls')
    const { text } = await run('snapshot')
    for (const way of ways) {
      const name = `${kind}-${way}`
      await click(at(name))
      t.equal((await acted()).at(-1), `${name} ${kind === 'file' ? 'asked' : true}`, name)
      const isGone = ['gone', 'unseen'].includes(way)
      const shown = text.includes(`"${kind} ${way}"`)
      t.ok(shown || isGone, `a snapshot shows ${name}`)
    }
  })
}

t.test('by the ref of a snapshot', async (t) => {
  await open('hidden-controls')
  const { text } = await run('snapshot')
  for (const way of ['clipped', 'cut', 'away']) {
    const [, ref] = new RegExp(`(e\\d+) checkbox "box ${way}"`).exec(text) ?? []
    t.ok(ref, way)
    await click(ref!)
    t.equal((await acted()).at(-1), `box-${way} true`)
    t.notMatch(text, new RegExp(`"box ${way}".* covered by`))
  }
})

t.test('what covers the label is named', async (t) => {
  await open('hidden-controls')
  await see('void (shade.hidden = false)')
  t.match(await refusal('click', { target: at('box-clipped'), timeout: 300 }), {
    details: { why: 'covered', covered_by: /div#shade/ },
  })
})
