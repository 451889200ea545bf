/**
 * Goal: dialogs that follow each other are told one by one, and nothing that a dialog interrupts stays
 * broken after it. Method: real Chromium on a page that asks three times.
 */
import t from 'tap'
import { openFixtures } from '../../helpers/browser/page-session.ts'

const { run, refusal, see, open, click, acted } = await openFixtures(t)

t.test('the first answer to a dialog tells of the next one', async (t) => {
  await open('dialog-chain')
  t.match(await click('[data-act=chain]'), { dialog: 'alert: First' })
  t.match(await run('handle_dialog', { accept: true }), { dialog: 'confirm: Second' })
  t.match(await run('handle_dialog', { accept: true }), { dialog: 'prompt: Third' })
  const { dialog } = await run('handle_dialog', { accept: true, text: 'Grace' })
  t.equal(dialog, undefined)
  t.same(await acted(), ['true Grace'])
})

t.test('a dialog does not spoil what listens to the network', async (t) => {
  await open('dialog-chain')
  await click('[data-act=chain]')
  t.match(await refusal('network'), { type: 'dialog_open' })
  t.match(await refusal('console'), { type: 'dialog_open' })
  for (let left = 3; left > 0; left--) await run('handle_dialog', { accept: true })
  await run('network')
  await run('console')
  await see('fetch("article.html").then(() => console.log("fetched"))')
  const { requests } = await run('network')
  t.ok(requests.some(({ url, status }) => url.endsWith('article.html') && status === 200))
  t.match((await run('console')).lines, [{ text: 'fetched' }])
})
