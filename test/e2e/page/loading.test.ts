/**
 * Goal: a page that does not come, or not whole, is told as what it is, and leaves the session usable.
 * Method: real browsers, and a server that does not answer, or does not finish.
 */
import { createServer, type ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { meaningOf } from '../../../node-agent/page/tabs/load-errors.ts'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { openPageSession } from '../../helpers/browser/page-session.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'

const held: ServerResponse[] = []
const pages: Readonly<Record<string, string>> = {
  '/home': '<title>Home</title><a href="/silent">Go</a>',
  '/picture': '<title>Picture</title><p>Text</p><img src="/silent">',
}
const server = createServer((request, response) => {
  const page = pages[request.url!]
  if (page === undefined) return void held.push(response)
  response.setHeader('content-type', 'text/html').end(page)
})
const site = `http://127.0.0.1:${await listenOnLoopback(server)}`
t.teardown(async () => {
  for (const response of held) response.destroy()
  await closeServer(server)
})
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())

for (const active of [true, false]) {
  t.test(active ? 'headless' : 'headful', async (t) => {
    const { run, refusal, end } = await openPageSession(host, { browser: { headless: { active } } })
    t.teardown(end)

    const leaves = async (t: Test) => {
      const told = /127\.0\.0\.1:\d+ has not answered/
      t.match(await run('click', { target: 'link "Go"' }), { changes: told })
      t.match(await refusal('extract_text'), {
        type: 'timeout',
        message: /is leaving for 127\.0\.0\.1:\d+, which has not answered for \d+ s.*go": "stop"/,
      })
      t.match(await run('navigate', { go: 'stop' }), { url: `${site}/home`, title: 'Home' })
      t.match(await run('snapshot'), { title: 'Home', text: /link "Go"/ })
      t.match(await run('navigate', { url: `${site}/home` }), { title: 'Home' })
    }

    await t.test('a server that does not answer', async (t) => {
      await run('navigate', { url: `${site}/home` })
      for (const command of ['navigate', 'goto'] as const) {
        t.match(await refusal(command, { url: `${site}/silent`, timeout: 500 }), {
          type: 'timeout',
          message: /^127\.0\.0\.1:\d+ did not answer within 500 ms; the page from before/,
          details: { reason: 'no_answer' },
        })
        t.match(await run('snapshot'), { title: 'Home', text: /link "Go"/ })
      }
      t.match(await run('tab_list'), { tabs: [{ url: `${site}/home` }] }, 'nothing is under way')
    })

    // It takes 20 s of waits, and is the same with a desktop.
    if (active) await t.test('a link that leads to it leaves the page as it was', leaves)

    await t.test('a page whose picture does not come', async (t) => {
      const url = `${site}/picture`
      t.match(await refusal('navigate', { url, timeout: 500 }), {
        type: 'timeout',
        message: /did not finish loading in time, and is shown .*domcontentloaded/,
      })
      t.match(await run('extract_text'), { title: 'Picture', text: /Text/ })
      const early = { url, wait_until: 'domcontentloaded' }
      t.match(await run('navigate', early), { title: 'Picture' })
      await run('goto', { url, wait_until: 'commit' })
      t.match(await run('tab_new', early), { url })
    })

    await t.test('an address at which nothing listens', async (t) => {
      t.match(await refusal('navigate', { url: 'http://127.0.0.1:1/' }), {
        type: 'navigation_failed',
        message: /net::ERR_\w+ \(.+\)\.$/,
      })
    })
  })
}

t.test('what errors of loading mean', async (t) => {
  const rows = [
    ['NAME_NOT_RESOLVED', /no such name/],
    ['CONNECTION_REFUSED', /nothing listens there/],
    ['CERT_DATE_INVALID', /expired.*setIgnoreCertificateErrors/],
    ['CERT_AUTHORITY_INVALID', /no authority/],
    ['CERT_WEAK_KEY', /not accepted/],
    ['SSL_PROTOCOL_ERROR', /try http:/],
    ['TOO_MANY_REDIRECTS', /circle/],
    ['PROXY_CONNECTION_FAILED', /proxy/],
    ['BLOCKED_BY_ADMINISTRATOR', /do not open/],
    ['UNSAFE_PORT', /port/],
  ] as const
  for (const [code, meaning] of rows) t.match(meaningOf(`net::ERR_${code}`), meaning, code)
  t.equal(meaningOf('net::ERR_FAILED'), '')
})
