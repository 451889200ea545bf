/**
 * Goal: a headful session has its own desktop as requested, and no part of it can end unnoticed or
 * leave anything behind. Method: the service with real X servers, read back from the page, from X
 * and from VNC; then its parts are killed one by one.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { readRequirements } from '../../../runtime/cli/machine/requirements.ts'
import { connectPlaywright, connectRaw } from '../../helpers/browser/browsers.ts'
import { descendantsOf, isRunning, listeningPorts } from '../../helpers/lib/processes.ts'
import { createSession, startService, type SessionJson } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { xProgram } from '../../helpers/browser/x-program.ts'

const framePx = 87

const service = await startService({
  env: { POOL_HEADLESS: '0', POOL_HEADFUL: '1', TZ: 'Asia/Tokyo' },
})
t.teardown(() => service.stop())
const { rest } = service

interface Desktop {
  readonly folder: string
  readonly number: number
  readonly xSocket: string
  readonly tmpLink: string
  /** Of the leaders of their groups, which stand before their walls. */
  readonly leaders: Readonly<Record<'Xvfb' | 'openbox' | 'x11vnc' | 'chromium', number>>
}

const run = () => join(service.dataDir, 'run', 'test')

function recordOf(name: string) {
  try {
    return JSON.parse(readFileSync(join(run(), name, 'browser.json'), 'utf8'))
  } catch {
    return undefined // The record is being written, or its folder is being removed.
  }
}

/** The existing desktops, from the records in their browsers' folders. */
function desktops(): Desktop[] {
  return readdirSync(run()).flatMap((name) => {
    const record = recordOf(name)
    if (!record?.browser) return []
    const [Xvfb, openbox, x11vnc] = record.display.map(({ pgid }: { pgid: number }) => pgid)
    const number = Number(/\d+$/.exec(record.xSocket)![0])
    return {
      folder: join(run(), name),
      number,
      xSocket: record.xSocket,
      tmpLink: record.tmpLink,
      leaders: { Xvfb, openbox, x11vnc, chromium: record.browser.pgid },
    }
  })
}

interface Live extends Desktop {
  /** Of all its processes, as long as it is as it was. */
  readonly pids: readonly number[]
}

const isEnded = (status: string) => status === 'failed' || status === 'completed'

/** The program itself, behind its walls. */
const programOf = (leader: number) => descendantsOf(leader).at(-1)?.pid ?? leader

const warm = async () => {
  const { body } = await rest<string>('GET', '/metrics')
  return Number(/^troupe_browsers\{[^}]*state="warm"\} (\d+)/m.exec(body)?.[1])
}

/** A session on the one warm browser, and the desktop of that browser. */
async function createOnWarm(): Promise<SessionJson & { desktop: Live; createMs: number }> {
  const [desktop, ...others] = await until('one browser is warm', async () => {
    return (await warm()) === 1 && desktops().length === 1 && desktops()
  })
  if (others.length > 0) throw new Error('more than one desktop')
  const leaders = Object.values(desktop!.leaders)
  const pids = leaders.flatMap((pid) => [pid, ...descendantsOf(pid).map((one) => one.pid)])
  const began = performance.now()
  const session = await createSession(rest, {})
  return { ...session, desktop: { ...desktop!, pids }, createMs: performance.now() - began }
}

function x(program: string, { xSocket, folder }: Desktop, ...args: string[]): string {
  const { prefix, env } = xProgram({ xSocket, authority: join(folder, 'xauthority') })
  const [command, ...rest] = [...prefix, program, ...args]
  return execFileSync(command!, rest, { encoding: 'utf8', env })
}

/** The VNC server's greeting and, after a handshake without a password, the size of its screen. */
async function askVnc(path: string) {
  const socket = connect(path)
  try {
    const bytes = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    let got = Buffer.alloc(0)
    const read = async (count: number) => {
      while (got.length < count) {
        const { value, done } = await bytes.next()
        if (done) throw new Error('the VNC server hung up')
        got = Buffer.concat([got, value])
      }
      const part = got.subarray(0, count)
      got = got.subarray(count)
      return part
    }
    const greeting = (await read(12)).toString()
    socket.write('RFB 003.008\n')
    await read((await read(1))[0]!) // The kinds of authentication.
    socket.write(Buffer.from([1]))
    await read(4) // The result of authentication.
    socket.write(Buffer.from([1]))
    const server = await read(24)
    const size = `${server.readUInt16BE(0)}x${server.readUInt16BE(2)}`
    await read(server.readUInt32BE(20)) // The desktop's name.
    const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
    socket.write(hex('00 000000 20 18 01 01 00ff 00ff 00ff 10 08 00 000000')) // Bytes 0, r, g, b.
    socket.write(hex('02 00 0001 00000000')) // Raw.
    socket.write(hex('03 00 0190 0190 0001 0001')) // The pixel at 400, 400.
    await read(16)
    return { greeting, size, pixel: (await read(4)).toString('hex', 1) }
  } finally {
    socket.destroy()
  }
}

/**
 * System V segments that those processes made: the kernel keeps them when their maker is killed.
 */
function sharedMemoryOf(pids: readonly number[]): string[] {
  const [, ...segments] = readFileSync('/proc/sysvipc/shm', 'utf8').trim().split('\n')
  const makers = segments.map((line) => Number(line.trim().split(/\s+/)[4]))
  return makers.filter((pid) => pids.includes(pid)).map((pid) => `shared memory of ${pid}`)
}

async function nothingIsLeft({ folder, xSocket, tmpLink, pids, number }: Live) {
  const left = () => [
    ...pids.filter(isRunning).map(String),
    ...[folder, xSocket, `/tmp/.X${number}-lock`].filter((path) => existsSync(path)),
    ...(lstatSync(tmpLink, { throwIfNoEntry: false }) ? [tmpLink] : []),
    ...sharedMemoryOf(pids),
  ]
  // The display number may already belong to the desktop that replaced it in the pool.
  const passedOn = () => desktops().some((other) => other.xSocket === xSocket)
  await until('nothing is left', () => left().every((what) => what === xSocket && passedOn()))
}

await t.test('a headful session: page, screen, window, user agent, VNC', async (t) => {
  const { id, cdp_url, desktop, createMs } = await createOnWarm()
  t.comment(`warm headful session created in ${createMs.toFixed(1)} ms`)
  for (const line of memoryOf(desktop)) t.comment(line)
  const client = await connectPlaywright(cdp_url)
  const page = client.contexts()[0]!.pages()[0]!
  t.equal(await page.evaluate('innerWidth + "x" + innerHeight'), '1440x900')
  t.equal(await page.evaluate('navigator.language'), 'en-US')
  t.notMatch(await page.evaluate<string>('navigator.userAgent'), /Headless/)
  const root = x('xwininfo', desktop, '-root')
  t.match(root, new RegExp(`Width: 1440\\n\\s+Height: ${900 + framePx}\\n`))
  t.match(x('xwininfo', desktop, '-root', '-tree'), new RegExp(`1440x${900 + framePx}\\+0\\+0`))
  const second = await client.contexts()[0]!.newPage()
  t.equal(await second.evaluate('innerWidth + "x" + innerHeight'), '1440x900', 'a later tab too')
  t.ok((await page.screenshot()).length > 1_000)

  await page.goto('data:text/html,<body style="background:rgb(10,200,30)">')
  await second.close()
  const vnc = await until('VNC shows the page', async () => {
    const seen = await askVnc(join(desktop.tmpLink, 'desktop', 'vnc'))
    return seen.pixel === '0ac81e' && seen
  })
  t.match(vnc, { greeting: 'RFB 003.008\n', size: `1440x${900 + framePx}` })
  const { x11vnc, Xvfb } = desktop.leaders
  t.same(listeningPorts(programOf(x11vnc)), [], 'VNC has no TCP port')
  t.same(listeningPorts(programOf(Xvfb)), [], 'X has no TCP port')
  t.not(listeningPorts(service.pidOf('gateway')).length, 0, 'a port that is open is seen')
  await client.close()
  await rest('DELETE', `/v1/sessions/${id}`)
  await nothingIsLeft(desktop)
})

function memoryOf({ leaders }: Desktop): string[] {
  const all = descendantsOf(service.pidOf('node-agent'))
  return Object.entries(leaders).map(([name, pid]) => {
    const below = new Set([pid, ...descendantsOf(pid).map((one) => one.pid)])
    const own = all.filter((one) => below.has(one.pid))
    const bytes = own.reduce((sum, { pssBytes }) => sum + pssBytes, 0)
    return `${name}: ${Math.round(bytes / 2 ** 20)} MiB in ${own.length} processes`
  })
}

/** The characters that are drawn like one that no font has. */
const withoutFont = (characters: readonly string[]) => `${JSON.stringify(characters)}
  .filter((character) => {
  const draw = (text) => {
    const context = document.createElement('canvas').getContext('2d')
    context.font = '20px sans-serif'
    context.fillText(text, 0, 30)
    return context.canvas.toDataURL()
  }
  return draw(character) === draw('\\u{10FFFD}')
})`

await t.test('it has fonts for every script, and no first-run windows', async (t) => {
  const { id, cdp_url, desktop } = await createOnWarm()
  const client = await connectPlaywright(cdp_url)
  const page = client.contexts()[0]!.pages()[0]!
  t.equal(await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone'), 'Asia/Tokyo')
  t.same(await page.evaluate('[...navigator.languages]'), ['en-US', 'en'])
  const characters = readRequirements().fonts.map(({ character }) => character)
  t.same(await page.evaluate(withoutFont(characters)), [], 'a font for every script')
  const sizes = x('xwininfo', desktop, '-root', '-children').matchAll(/\s(\d+)x(\d+)\+/g)
  const seen = [...sizes].filter(([, width, height]) => Number(width) > 50 && Number(height) > 50)
  t.equal(seen.length, 1, 'no bubble and no prompt beside the one window')
  await client.close()
  await rest('DELETE', `/v1/sessions/${id}`)
})

await t.test('another viewport has a screen of its own size, and so has full screen', async (t) => {
  for (const fullscreen of [false, true]) {
    const viewport = { width: 800, height: 600 }
    const began = performance.now()
    const body = { browser: { viewport, fullscreen: { active: fullscreen } } }
    const { id, cdp_url } = await createSession(rest, body)
    t.comment(`headful session booted on demand: ${Math.round(performance.now() - began)} ms`)
    const client = await connectPlaywright(cdp_url)
    const page = client.contexts()[0]!.pages()[0]!
    t.equal(await page.evaluate('innerWidth + "x" + innerHeight'), '800x600')
    const height = fullscreen ? 600 : 600 + framePx
    t.equal(await page.evaluate('screen.width + "x" + screen.height'), `800x${height}`)
    await client.close()
    await rest('DELETE', `/v1/sessions/${id}`)
  }
})

for (const part of ['Xvfb', 'openbox', 'x11vnc'] as const) {
  await t.test(`SIGKILL of ${part}: the session says so, nothing is left`, async (t) => {
    const { id, cdp_url, desktop } = await createOnWarm()
    const client = await connectRaw(cdp_url)
    await client.send('Browser.getVersion')
    process.kill(programOf(desktop.leaders[part]), 'SIGKILL')
    const { code, reason } = await client.closed
    t.equal(code, 4010, reason)
    type Ended = SessionJson & { message?: string }
    const session = await until('the session has failed', async () => {
      const { data } = (await rest<{ data: Ended }>('GET', `/v1/sessions/${id}`)).body
      return data.status === 'failed' && data
    })
    t.equal(session.reason, 'browser_crashed')
    t.match(JSON.stringify(session), `(${part}) ended with signal SIGKILL`)
    await nothingIsLeft(desktop)
  })
}

await t.test('SIGKILL of the node agent: its desktop goes on, and its end is told', async (t) => {
  const { id, desktop } = await createOnWarm()
  await service.strike('node-agent')
  await until('the next agent has it', async () => {
    if ((await rest('GET', `/v1/sessions/${id}/snapshot`)).status === 200) return true
    const { status, reason } = (await rest('GET', `/v1/sessions/${id}`)).body.data
    if (isEnded(status)) throw new Error(`it is ${status}: ${reason}`)
    return false
  })
  // Processes of pages come and go.
  t.ok(Object.values(desktop.leaders).every(isRunning))
  process.kill(programOf(desktop.leaders.x11vnc), 'SIGKILL')
  const session = await until('the session has failed', async () => {
    const { data } = (await rest('GET', `/v1/sessions/${id}`)).body
    return data.status === 'failed' && data
  })
  t.match(JSON.stringify(session), '(x11vnc) ended.')
  await nothingIsLeft(desktop)
})
