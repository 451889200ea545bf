/**
 * Goal: what `sensitive_data_mask` names is in no picture and in no answer: of the page and its frames, from
 * the first picture on, what is added later, and what a page does about it. Method: real browsers, headless
 * and with a display; pages are compared with the same pages that have other secrets, pixel by pixel.
 */
import { createServer } from 'node:http'
import t, { type Test } from 'tap'
import { openBrowserHost } from '../../helpers/browser/browser-host.ts'
import { openPageSession } from '../../helpers/browser/page-session.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'

/** Of equal lengths, so that only what is read differs. */
const secrets = [
  {
    balance: '98,765 EUR',
    account: 'DE8937040044',
    id: '123-45-6789',
    card: '4111 1111 1111 1111',
  },
  {
    balance: '12,340 EUR',
    account: 'AT6119043002',
    id: '987-65-4321',
    card: '5500 0055 5555 5559',
  },
]

type Secrets = (typeof secrets)[number]

const inner = ({ balance, id }: Secrets) => `<p class="balance">${balance}</p><p>Number ${id}.</p>`

const page = (shown: Secrets) => `<!doctype html><title>Account of ${shown.id}</title>
  <style>* { font-family: monospace } .balance { color: red !important }</style>
  <h1>Hello</h1><p class="balance">Balance <b>${shown.balance}</b><img alt="${shown.balance}"></p>
  <p>Paid with ${shown.card} by ${shown.id}, thank you.</p>
  <label>Account <input id="account" value="${shown.account}"></label>
  <label>Card <input autocomplete="section-a cc-number" value="${shown.card}"></label>
  <label>Number <input id="number"></label><label>City <input value="Vienna"></label>
  <select class="balance"><option>${shown.balance}</option></select>
  <p class="here">${shown.balance}</p><p class="there">Seen by all</p>
  <div id="host"></div><late-card></late-card><iframe srcdoc='${inner(shown)}'></iframe>
  <iframe src="http://127.0.0.1:${port}/frame?${secrets.indexOf(shown)}"></iframe>
  <script>
    number.value = '${shown.id}'
    const shadow = host.attachShadow({ mode: 'closed' })
    shadow.innerHTML = '${inner(shown)}'
    customElements.define('late-card', class extends HTMLElement {
      constructor() { super().attachShadow({ mode: 'open' }).innerHTML = '${inner(shown)}' }
    })
    setTimeout(() => {
      // As frameworks do that know of no other style sheets.
      document.adoptedStyleSheets = [new CSSStyleSheet()]
      document.body.insertAdjacentHTML('beforeend', '${inner(shown)}')
      document.title += ' is complete'
    }, 100)
  </script>`

const server = createServer(({ url = '' }, response): unknown => {
  const shown = secrets[Number(url.slice(-1))]
  if (!shown) return response.writeHead(404).end()
  response.setHeader('content-type', 'text/html')
  return response.end(url.startsWith('/frame') ? inner(shown) : page(shown))
})
const port = await listenOnLoopback(server)
const site = `http://localhost:${port}`
t.teardown(() => closeServer(server))
const host = openBrowserHost({ kept: [] })
t.teardown(() => host.close())

const mask = {
  active: true,
  custom_selectors: ['.balance', '#account'],
  site_selectors: { localhost: ['.here'], 'elsewhere.example': ['.there'] },
  custom_patterns: [{ regex: '\\d{3}\\-\\d{2}\\-\\d{4}', mask: '[$1 number]' }],
}

async function open(t: Test, active: boolean, sensitive_data_mask: object) {
  const browser = { headless: { active }, evaluate: { active: true }, sensitive_data_mask }
  const session = await openPageSession(host, { browser })
  t.teardown(session.end)
  const show = async (index: number) => {
    await session.run('navigate', { url: `${site}/?${index}` })
    await session.run('wait_for', { text: 'Seen by all' })
    const done = `new Promise((resolve) => setInterval(() => document.title.endsWith('complete') && resolve(1)))`
    await session.run('evaluate', { expression: done })
  }
  const picture = async () => {
    const { image } = await session.run('screenshot', { format: 'png' })
    return Buffer.from(image).toString('base64')
  }
  return { ...session, show, picture }
}

const shownOf = (shown: Secrets, text: string) =>
  Object.values(shown).filter((secret) => text.includes(secret))

for (const active of [true, false]) {
  t.test(`with a mask, ${active ? 'headless' : 'on a desktop'}`, async (t) => {
    const session = await open(t, active, mask)
    const pictures: string[] = []
    for (const [index, shown] of secrets.entries()) {
      await session.show(index)
      pictures.push(await session.picture())
      const answers = [
        await session.run('snapshot'),
        await session.run('extract_text'),
        await session.run('evaluate', { expression: 'document.documentElement.outerHTML' }),
        await session.run('evaluate', { expression: 'shadow.innerHTML' }),
        await session.run('evaluate', { expression: 'number.value' }),
        await session.refusal('click', { target: shown.balance }),
      ]
      for (const answer of answers) {
        t.strictSame(
          shownOf(shown, JSON.stringify(answer)),
          [],
          JSON.stringify(answer).slice(0, 90),
        )
      }
      const { text, title } = await session.run('snapshot')
      t.match(title, /Account of \[\$1 number\]/)
      for (const line of ['Paid with ****', '[$1 number], thank you', 'Seen by all', 'Vienna'])
        t.ok(text.includes(line), `${line}: ${text}`)
      t.match(text, /textbox "Account".*: ••••/)
      t.match(text, /textbox "Card": ••••/)
      t.match(text, /textbox "Number": ••••/)
    }
    t.equal(pictures[0], pictures[1], 'both pictures are the same')
    const refused = await session.refusal('pdf')
    t.match(refused, { type: 'conflict', message: /sensitive_data_mask hides/ })
  })
}

t.test('a field that is hidden can be filled in', async (t) => {
  const session = await open(t, true, mask)
  await session.show(0)
  await session.run('type', { target: '#account', text: 'GB33BUKB2020' })
  const { value } = await session.run('evaluate', { expression: 'account.value.length' })
  t.equal(value, 12)
  const { text } = await session.run('snapshot')
  t.notMatch(text, /GB33/)
})

t.test('a PDF has nothing of what a selector hides', async (t) => {
  const session = await open(t, true, { active: true, custom_selectors: ['p'] })
  await session.run('navigate', { url: `${site}/frame?0` })
  const { pdf } = await session.run('pdf')
  const { text } = await session.run('extract_text')
  t.equal(text.trim(), '')
  t.notMatch(Buffer.from(pdf).toString('latin1'), /FontFile/)
})

t.test('without a mask all of it is shown', async (t) => {
  const session = await open(t, true, { active: false })
  await session.show(0)
  const { text } = await session.run('snapshot')
  for (const secret of Object.values(secrets[0]!)) t.ok(text.includes(secret), secret)
  const before = await session.picture()
  await session.show(1)
  t.not(await session.picture(), before)
})

t.test('what Chromium or RE2 do not understand is refused, and nothing is left', async (t) => {
  const refused = [
    [{ custom_selectors: ['.a', 'p:nonsense('] }, /custom_selectors: p:nonsense\( is not a CSS/],
    [{ site_selectors: { 'a.example': ['{'] } }, /site_selectors: \{ is not a CSS selector/],
    [{ custom_patterns: [{ regex: 'a{1001}' }] }, /custom_patterns: a\{1001\} is not a regular/],
  ] as const
  for (const [lists, message] of refused) {
    const body = { browser: { sensitive_data_mask: { active: true, ...lists } } }
    await t.rejects(host.claim(body), { type: 'bad_request', message })
  }
  t.strictSame(host.sessions.held(), [])
})
