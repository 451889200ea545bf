/**
 * Goal: whoever types while a process under it is killed is told what happened, never that something
 * failed on our side. Method: the whole service, a page that reports its first key, and kills.
 */
import { createServer } from 'node:http'
import t from 'tap'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { processesNaming, type ProcessInfo } from '../../helpers/lib/processes.ts'
import { until } from '../../helpers/lib/until.ts'
import { isBrowser } from '../../helpers/browser/browsers.ts'
import { createSession, headless, startService } from '../../helpers/service/service.ts'

let keysTyped = 0
const site = createServer((request, response) => {
  if (request.url === '/typed') keysTyped++
  response.setHeader('content-type', 'text/html')
  response.end(`<input autofocus oninput="fetch('/typed')">`)
})
const siteUrl = `http://127.0.0.1:${await listenOnLoopback(site)}/`
t.teardown(() => closeServer(site))
// No browser but that of the session.
const env = { POOL_HEADLESS: '0', POOL_HEADFUL: '0', MAX_SESSIONS: '1' }
const service = await startService({ env })
t.teardown(() => service.stop())
const { rest } = service

const isServer = ({ command }: ProcessInfo) => /^\S*Xvfb /.test(command)
const isPage = ({ command }: ProcessInfo) => command.includes('--type=renderer')

function kill(isVictim: (one: ProcessInfo) => boolean): void {
  const victims = processesNaming(service.dataDir).filter(isVictim)
  if (victims.length === 0) throw new Error('there is nothing to kill')
  for (const { pid } of victims) process.kill(pid, 'SIGKILL')
}

/** A session whose page gets keys, one after the other. */
async function beginTyping(kind: object) {
  const { id } = await createSession(rest, { ...kind, session: { initial_url: siteUrl } })
  const path = `/v1/sessions/${id}`
  const type = (text: string, delay = 0) => rest('POST', `${path}/keyboard/type`, { text, delay })
  await rest('POST', `${path}/mouse/click`, { selector: 'input' })
  keysTyped = 0
  const typing = type('x'.repeat(200), 20)
  await until('the page has a key', () => keysTyped > 0)
  return { path, typing, type, end: () => rest('DELETE', path) }
}

const victims = [
  { name: 'browser of a headless session', kind: headless, isVictim: isBrowser },
  { name: 'browser of a headful session', kind: {}, isVictim: isBrowser },
  { name: 'X server', kind: {}, isVictim: isServer },
] as const

for (const { name, kind, isVictim } of victims) {
  t.test(`the ${name} is killed`, async (t) => {
    const { typing, type, end } = await beginTyping(kind)
    // Those that wait for their turn, too.
    const others = Array.from({ length: 5 }, () => type('y'))
    kill(isVictim)
    for (const { status, body } of await Promise.all([typing, ...others, type('z')])) {
      t.equal(status, 410, body.error?.message)
      t.match(body.error, { type: 'session_ended', reason: 'browser_crashed' })
    }
    await end()
  })
}

t.test('the page is killed', async (t) => {
  const { path, typing, type, end } = await beginTyping(headless)
  kill(isPage)
  for (const { status, body } of [await typing, await type('z')]) {
    t.equal(status, 409, body.error?.message)
    t.match(body.error, { message: /crashed; navigate to a URL/ })
  }
  t.equal((await rest('POST', `${path}/goto`, { url: siteUrl })).status, 200)
  t.equal((await type('z')).status, 200)
  await end()
})

for (const program of ['node-agent', 'actors', 'nats-server'] as const) {
  t.test(`the ${program} is killed`, async (t) => {
    const { typing, type, end } = await beginTyping(headless)
    await service.strike(program)
    for (const { status, body } of [await typing, await type('z')]) {
      t.ok([200, 409, 410, 503, 504].includes(status), `${status} ${body.error?.message}`)
    }
    await end()
  })
}
