/**
 * Goal: a video of a login does not show what was filled in, nor what the session's mask hides: with other
 * secrets it is the same video, also while a page that repeats them scrolls. Method: a recorded session
 * logs in with two logins of equal lengths, types two texts that are no secrets, and the same two where a
 * mask hides them, on a page that paints where it is scrolled to; the pictures of the same places are
 * compared.
 */
import { createServer } from 'node:http'
import t from 'tap'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { bits, numbersIn, pixelsIn } from '../../helpers/files/video.ts'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { until } from '../../helpers/lib/until.ts'
import { isRecording } from '../../helpers/service/isolation-here.ts'
import { createSession, startService } from '../../helpers/service/service.ts'

const skip = !isRecording && 'sessions cannot be recorded on this machine'

const places = 8
/** What the bars say: which round it is, and how far the page is scrolled; 0 until it is filled in. */
const valueOf = (round: number, place: number) => 1 + round * places + place

/** Scrolls all the time once it is filled in, and repeats what was typed in text and in a field. */
const page = `<!doctype html><title>Echo</title>
  <body style="margin: 0; height: 4000px; font: 24px monospace; background: white">
  <canvas width="${bits}" height="1" style="position: fixed; inset: 0; width: 100vw; height: 60px;
    image-rendering: pixelated"></canvas>
  <form style="margin-top: 100px">
    <input name=user autocomplete=username size=30><input name=pass type=password size=30>
    <input name=otp autocomplete=one-time-code size=30>
  </form>
  ${'<pre class=echo style="margin: 90px 20px"></pre><input class=twin size=40>'.repeat(12)}
  <script>
    const round = Number(new URLSearchParams(location.search).get('round'))
    const fields = [...document.querySelectorAll('form input')]
    document.body.classList.toggle('hidden', round >= 4)
    const pen = document.querySelector('canvas').getContext('2d')
    const paint = (value) => {
      for (let bit = 0; bit < ${bits}; bit++) {
        pen.fillStyle = (value >> bit) & 1 ? 'white' : 'black'
        pen.fillRect(bit, 0, 1, 1)
      }
    }
    paint(0)
    addEventListener('input', () => {
      const text = fields.map(({ value }) => value).join(' ')
      for (const pre of document.querySelectorAll('.echo')) pre.textContent = text
      for (const twin of document.querySelectorAll('.twin')) twin.value = text
    })
    let place = 0
    setInterval(() => {
      if (fields.some(({ value }) => value === '')) return
      document.activeElement?.blur()
      place = (place + 1) % ${places}
      scrollTo(0, place * 110)
      paint(1 + round * ${places} + place)
    }, 300)
  </script>`

const server = createServer((_, response) => {
  response.setHeader('content-type', 'text/html')
  response.end(page)
})
const site = `http://127.0.0.1:${await listenOnLoopback(server)}`
t.teardown(() => closeServer(server))
const service = await startService()
t.teardown(() => service.stop())
const { rest } = service

interface Listed {
  readonly data: {
    readonly items: readonly {
      readonly status: string
      readonly spans: readonly { readonly seconds: number }[]
    }[]
  }
}

/** Of equal lengths, so that only what is read differs. */
const logins = [
  { username: 'anna.lind@shop.example', password: 'blue-Kettle/42 x', totp: 'JBSWY3DPEHPK3PXP' },
  { username: 'bert.moor@post.example', password: 'rose+Teapot=17 y', totp: 'KRSXG5DSNFXGOIDB' },
]
const typed = [
  ['carl.kush@news.example', 'gray*Bottle/63 z', '123456'],
  ['dora.west@blog.example', 'pink?Basket#85 w', '789012'],
]

t.test('the video is the same for other secrets', { skip }, async (t) => {
  const session = { recording: { active: true } }
  const browser = {
    ...{ headless: { active: true }, viewport: { width: 1280, height: 720 } },
    sensitive_data_mask: {
      active: true,
      custom_selectors: ['.hidden pre, .hidden input'],
      custom_patterns: [{ regex: 'no text of this page' }],
    },
  }
  const { id, cdp_url } = await createSession(rest, { session, browser })
  t.teardown(() => rest('DELETE', `/v1/sessions/${id}`))
  const client = await connectPlaywright(cdp_url)
  const tab = client.contexts()[0]!.pages()[0]!
  const seconds = async () => {
    const { body } = await rest<Listed>('GET', `/v1/sessions/${id}/recordings`)
    return body.data.items[0]?.spans.reduce((sum, span) => sum + span.seconds, 0) ?? 0
  }
  /** Long enough for each place to be shown twice. */
  const shown = async (round: number) => {
    const begun = await seconds()
    await until(`round ${round} is recorded`, async () => (await seconds()) > begun + 5)
  }

  for (const [round, login] of logins.entries()) {
    const name = `login-${round}`
    await rest('POST', '/v1/logins', { name, origin: site, allow_http: true, ...login })
    await tab.goto(`${site}/?round=${round}`)
    const filled = await rest('POST', `/v1/sessions/${id}/commands/fill_login`, { login: name })
    t.match(filled, { status: 200, body: { data: { filled: ['username', 'password', 'code'] } } })
    await shown(round)
    t.match(await tab.locator('.echo').first().textContent(), login.username, 'the page repeats it')
    const caret = await tab.evaluate('getComputedStyle(document.body).caretAnimation')
    t.equal(caret, 'manual', 'a caret that blinks would be two pictures a second')
  }
  for (const [index, texts] of [...typed, ...typed].entries()) {
    const round = logins.length + index
    await tab.goto(`${site}/?round=${round}`)
    for (const [n, name] of ['user', 'pass', 'otp'].entries()) {
      await tab.fill(`[name=${name}]`, texts[n]!)
    }
    await shown(round)
  }
  await client.close()
  await rest('DELETE', `/v1/sessions/${id}`)
  await until('the video is made', async () => {
    const { body } = await rest<Listed>('GET', `/v1/sessions/${id}/recordings`)
    return body.data.items[0]?.status === 'ready'
  })
  const fetched = await fetch(`${service.baseUrl}/v1/sessions/${id}/recordings/primary/fetch`, {
    headers: { 'service-api-key': service.key },
  })
  const video = new Uint8Array(await fetched.arrayBuffer())

  const numbers = numbersIn(video, 'iw:ih/24:0:ih/48')
  const pictures = pixelsIn(video, width, height)
  /** The last picture of a place before the page scrolls on: it is painted whole. */
  const pictureOf = (round: number, place: number) => {
    const at = numbers.findLastIndex(({ value }) => value === valueOf(round, place))
    return pictures[at]?.grays
  }
  const most = { secrets: 0, texts: 0, masked: 0 }
  let compared = 0
  for (let place = 0; place < places; place++) {
    const [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map((round) => pictureOf(round, place))
    if (!a || !b || !c || !d || !e || !f) continue
    compared++
    most.secrets = Math.max(most.secrets, difference(a, b))
    most.texts = Math.max(most.texts, difference(c, d))
    most.masked = Math.max(most.masked, difference(e, f))
  }
  t.ok(compared >= places / 2, `${compared} places are in all rounds`)
  t.ok(most.texts > 60, `other texts are seen: ${most.texts}`)
  t.ok(most.secrets < 25, `other secrets are not: ${most.secrets}`)
  t.ok(most.masked < 25, `what a mask hides is not: ${most.masked}`)
})

const [width, height] = [320, 180]

/** Of the pixel that differs most, below the bars, which say the round. */
function difference(a: Uint8Array, b: Uint8Array): number {
  let most = 0
  for (let at = width * 20; at < a.length; at++) most = Math.max(most, Math.abs(a[at]! - b[at]!))
  return most
}
