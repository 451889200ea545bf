/**
 * Goal: the pool keeps its promises to claimants over time. Method: played browsers on a simulated
 * clock.
 */
import { pino } from 'pino'
import t from 'tap'
import { ServiceError } from '../../../../proto/errors.ts'
import type { BrowserId } from '../../../../proto/ids.ts'
import type { BrowserExit } from '../../../../node-agent/browser/running.ts'
import { plainShape, type BrowserShape } from '../../../../node-agent/browser/shape.ts'
import {
  BrowserPool,
  type PoolOptions,
  type PooledBrowser,
  type TakeOptions,
} from '../../../../node-agent/pool/pool.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { poolLimits } from '../../../../node-agent/pool/limits.ts'

class PretendedBrowser implements PooledBrowser {
  readonly id: BrowserId
  readonly exited: Promise<BrowserExit>
  answers = true
  ended = false
  #exit: (exit: BrowserExit) => void = () => undefined

  constructor(id: BrowserId) {
    this.id = id
    this.exited = new Promise((resolve) => (this.#exit = resolve))
  }

  async check() {
    if (!this.answers) throw new Error('silent')
  }

  crash() {
    this.#exit({ code: null, signal: 'SIGSEGV', stderr: '' })
  }

  close() {
    this.#exit({ code: 0, signal: null, stderr: '' })
  }

  async end() {
    this.ended = true
    this.#exit({ code: null, signal: 'SIGKILL', stderr: '' })
  }
}

const bootMs = 400

async function setUp(given: Partial<PoolOptions<PretendedBrowser>> = {}) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'agent')
  const browsers: PretendedBrowser[] = []
  const gone: PretendedBrowser[] = []
  const pool = new BrowserPool<PretendedBrowser>({
    boot: (id) =>
      new Promise((resolve) =>
        clock.timer(bootMs, () => {
          const browser = new PretendedBrowser(id)
          browsers.push(browser)
          resolve(browser)
        }),
      ),
    kept: [{ shape: plainShape, count: 2 }],
    sessionsMax: 2,
    queueSize: 2,
    bootsMax: 2,
    clock,
    log: pino({ level: 'silent' }),
    onChange: () => undefined,
    onGone: (browser) => gone.push(browser),
    ...given,
  })
  await timeline.run(2 * bootMs + 1)
  type Options = Partial<TakeOptions> & { readonly shape?: BrowserShape }
  const take = ({ shape = plainShape, ...options }: Options = {}) => {
    const { signal } = new AbortController()
    const taken = pool.take(shape, { waitMs: 1_000, signal, ...options })
    taken.catch(() => undefined) // Read by the test later, if at all.
    return taken
  }
  return { timeline, pool, browsers, gone, take }
}

async function refusal(taken: Promise<unknown>): Promise<ServiceError> {
  try {
    await taken
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
  throw new Error('it was not refused')
}

t.test('fills one by one, and hands out warm browsers at once', async (t) => {
  const { pool, take } = await setUp()
  t.match(pool.load(), { warm: 2, booting: 0, claimed: 0, ready: true })
  const first = await take({ waitMs: 0 })
  t.equal(first.ended, false)
  t.match(pool.load(), { warm: 1, claimed: 1 })
})

t.test(
  'tenants take turns: one with many in the queue does not delay one with a single claim',
  async (t) => {
    const { pool, take, timeline } = await setUp({ sessionsMax: 1, queueSize: 10 })
    const served: string[] = []
    let held = await take()
    const waitMs = 1_000_000
    const join = (tenant: string, name: string) =>
      void take({ tenant, waitMs }).then((browser) => {
        served.push(name)
        held = browser
      })
    for (const name of ['a1', 'a2', 'a3', 'a4']) join('a', name)
    join('b', 'b1')
    join('b', 'b2')
    for (let n = 1; n <= 7; n++) {
      if (n === 5) join('c', 'c1')
      pool.drain(held, 'over')
      await timeline.run(3 * bootMs)
      t.equal(served.length, n)
    }
    t.same(served, ['a1', 'b1', 'a2', 'b2', 'c1', 'a3', 'a4'])
  },
)

t.test('in a full queue the tenant with the most makes room for one with fewer', async (t) => {
  const { pool, take, timeline } = await setUp({ sessionsMax: 1, queueSize: 4 })
  const held = await take()
  const ends: string[] = []
  const join = (tenant: string, name: string) => {
    const told = (how: string) => void ends.push(`${name} ${how}`)
    take({ tenant, waitMs: 1_000_000 }).then(
      () => told('served'),
      ({ type }: ServiceError) => told(type),
    )
  }
  for (const name of ['a1', 'a2', 'a3', 'a4']) join('a', name)
  join('b', 'b1')
  join('b', 'b2')
  join('b', 'b3')
  join('a', 'a5')
  await timeline.run(10)
  const full = ['a4', 'a3', 'b3', 'a5'].map((name) => `${name} queue_full`)
  t.same(ends, full, 'none makes way for as many as it has itself')
  t.equal((await refusal(take({ tenant: 'c', waitMs: 0 }))).type, 'queue_full', 'it would not wait')
  pool.drain(held, 'over')
  await timeline.run(3 * bootMs)
  t.same(ends.slice(4), ['a1 served'])
})

t.test('a claim whose browser is booting is not displaced', async (t) => {
  const { take, timeline } = await setUp({ sessionsMax: 6, queueSize: 0 })
  await Promise.all([take({ tenant: 'a' }), take({ tenant: 'a' })])
  const coming = ['a', 'a', 'a', 'a'].map((tenant) => take({ tenant }))
  t.equal((await refusal(take({ tenant: 'b' }))).type, 'queue_full')
  await timeline.run(10 * bootMs)
  t.equal((await Promise.all(coming)).length, 4)
})

t.test('a claimed browser never returns to the pool', async (t) => {
  const { timeline, pool, browsers, take } = await setUp()
  const browser = await take()
  pool.drain(browser, 'released')
  await timeline.run(5_000)
  t.equal(browser.ended, true)
  t.match(pool.load(), { warm: 2, claimed: 0 })
  t.equal(browsers.length, 3, 'a new one took its place')
})

t.test('refills after a quiet time, not in the moments after a claim', async (t) => {
  const { timeline, pool, take } = await setUp()
  await take()
  await timeline.run(poolLimits.refillCalmMs - 1)
  t.equal(pool.load().booting, 0)
  await timeline.run(2)
  t.equal(pool.load().booting, 1)
})

t.test('a claimant may need more quiet time', async (t) => {
  const { timeline, pool, take } = await setUp()
  await take({ calmMs: 5_000 })
  await timeline.run(4_900)
  t.equal(pool.load().booting, 0)
  await timeline.run(200)
  t.equal(pool.load().booting, 1)
})

t.test('beyond the limit claimants are served in the order of arrival', async (t) => {
  const { timeline, pool, take } = await setUp()
  const held = [await take(), await take()]
  const served: string[] = []
  const third = take().then(() => served.push('third'))
  const fourth = take().then(() => served.push('fourth'))
  await timeline.run(100)
  t.same(served, [], 'both stand in line')
  t.equal(pool.load().queued, 2)
  pool.drain(held[0]!, 'released')
  await timeline.until(third, 2_000)
  t.same(served, ['third'])
  pool.drain(held[1]!, 'released')
  await timeline.until(fourth, 2_000)
  t.same(served, ['third', 'fourth'])
})

t.test('a full queue refuses at once and reports its state', async (t) => {
  const { take } = await setUp()
  await take()
  await take()
  void take()
  void take()
  const error = await refusal(take())
  t.equal(error.type, 'queue_full')
  t.match(error.details, { current: 2, limit: 2, position: 3, retry_after_seconds: Number })
})

t.test('a claimant that waited too long is told so', async (t) => {
  const { timeline, take } = await setUp()
  await take()
  await take()
  const waiting = take({ waitMs: 500 })
  await timeline.run(499)
  await timeline.run(2)
  t.equal((await refusal(waiting)).type, 'queue_timeout')
})

t.test('a claimant that will not wait does not overtake those who do', async (t) => {
  const { timeline, pool, take } = await setUp()
  const held = await take()
  await take()
  t.equal((await refusal(take({ waitMs: 0 }))).type, 'queue_full')
  const waiting = take()
  pool.drain(held, 'released')
  t.equal((await refusal(take({ waitMs: 0 }))).type, 'queue_full', 'the free place is taken')
  t.ok(await timeline.until(waiting, 2_000))
})

t.test('a claimant that gave up is never handed a browser', async (t) => {
  const { timeline, pool, browsers, take } = await setUp()
  const held = await take()
  await take()
  const abort = new AbortController()
  const cancelled = take({ signal: abort.signal })
  const next = take()
  abort.abort()
  t.equal((await refusal(cancelled)).type, 'session_ended')
  pool.drain(held, 'released')
  const browser = await timeline.until(next, 2_000)
  t.equal(browser, browsers.at(-1))
  t.equal(pool.load().claimed, 2)
})

t.test('a claimant that gave up before it arrived gets none either', async (t) => {
  const { pool, take } = await setUp()
  t.equal((await refusal(take({ signal: AbortSignal.abort() }))).type, 'session_ended')
  t.match(pool.load(), { warm: 2, claimed: 0, queued: 0 })
})

t.test('a browser of another shape is booted on demand and not kept', async (t) => {
  const { timeline, pool, take } = await setUp()
  const odd: BrowserShape = { ...plainShape, pdfViewer: false }
  const abort = new AbortController()
  const given = take({ shape: odd, waitMs: 0 })
  t.ok(await timeline.until(given, 2_000))
  const left = take({ shape: odd, signal: abort.signal })
  await timeline.run(10)
  abort.abort()
  t.equal((await refusal(left)).type, 'session_ended')
  await timeline.run(bootMs + 10)
  t.match(pool.load(), { warm: 2, claimed: 1 })
})

t.test('a warm browser that is unresponsive or too old is replaced', async (t) => {
  const { timeline, pool, browsers } = await setUp()
  browsers[0]!.answers = false
  await timeline.run(poolLimits.browserCheckMs + 3 * bootMs)
  t.equal(browsers[0]!.ended, true)
  t.equal(browsers[1]!.ended, false)
  t.equal(pool.load().warm, 2)
  await timeline.run(poolLimits.browserStaleMs + 3 * poolLimits.browserCheckMs)
  t.equal(browsers[1]!.ended, true, 'recycled')
  t.equal(pool.load().warm, 2)
})

t.test('a warm browser that ends is replaced, a claimed one is reported', async (t) => {
  const { timeline, pool, browsers, gone, take } = await setUp()
  const claimed = await take()
  const warm = browsers.find((browser) => browser !== claimed)!
  warm.crash()
  claimed.crash()
  await timeline.run(5_000)
  t.same(
    gone.map(({ id }) => id),
    [claimed.id],
  )
  t.match(pool.load(), { warm: 2, claimed: 0 })
})

t.test('failed boots are reported to those waiting, and retried with a delay', async (t) => {
  let boots = 0
  const boot = async () => {
    boots++
    throw new ServiceError('browser_start_failed', 'no such program')
  }
  const { timeline, pool, take } = await setUp({ boot })
  t.equal(pool.load().ready, false)
  t.equal((await refusal(take())).type, 'browser_start_failed')
  const before = boots
  boots = 0
  await timeline.run(60_000)
  t.ok(boots > 1 && boots < 12, `tried ${boots} times in a minute`)
  t.equal(pool.load().counts!.bootFailures, boots + before)
})

t.test('boots, waits, refusals and crashes are counted, for good', async (t) => {
  const { timeline, pool, browsers, take } = await setUp()
  const counts = () => pool.load().counts!
  t.match(counts(), { boots: { counts: [0, 0, 0, 2], sumSeconds: 0.8 }, bootFailures: 0 })
  const held = await take()
  await take()
  t.equal(counts().waits.counts[0], 2)
  const served = take()
  const overdue = take({ waitMs: 100 })
  t.equal((await refusal(take({ waitMs: 0 }))).type, 'queue_full')
  await timeline.run(150)
  t.equal((await refusal(overdue)).type, 'queue_timeout')
  t.same(counts().refusals, { queue_full: 1, queue_timeout: 1 })
  pool.drain(held, 'released')
  t.equal(counts().exits.crashed, 0, 'this one was ended here')
  const third = (await timeline.until(served, 2_000))!
  t.match(counts().waits, { counts: [2, 0, 0, 0, 1], sumSeconds: Number })
  third.crash()
  browsers[1]!.close()
  await timeline.run(5_000)
  t.same(counts().exits, { crashed: 1, closed: 1, out_of_resources: 0 })
  const total = counts().boots.counts.reduce((sum, count) => sum + count, 0)
  t.equal(total, browsers.length)
})

t.test('a closed pool refuses the queue and ends everything', async (t) => {
  const { timeline, pool, browsers, take } = await setUp()
  await take()
  await take()
  const waiting = take()
  const closed = pool.close()
  t.equal((await refusal(waiting)).type, 'draining')
  t.equal((await refusal(take())).type, 'draining')
  await timeline.until(closed, 2_000)
  t.ok(browsers.every(({ ended }) => ended))
  t.match(pool.load(), { warm: 0, booting: 0, claimed: 0, ready: false })
})
