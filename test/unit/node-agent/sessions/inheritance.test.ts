/**
 * Goal: an agent goes on with the sessions that want their browsers, removes the other browsers, and
 * tells the session whose browser it could not take over. Method: real folders, played sessions.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { BrowserRecord, readRecord } from '../../../../node-agent/files/browser-record.ts'
import type { PooledBrowser } from '../../../../node-agent/pool/pool.ts'
import { inherit, type InheritanceOptions } from '../../../../node-agent/sessions/inheritance.ts'
import type { SessionBrowser } from '../../../../node-agent/sessions/sessions.ts'
import { sweepLeftovers } from '../../../../node-agent/sessions/sweep.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { newId } from '../../../../proto/ids.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { Guard, startTimeOf } from '../../../../runtime/process/guard.ts'

type Played = SessionBrowser & PooledBrowser
type Answer = { readonly keep: boolean } | Error

const root = mkdtempSync(join(tmpdir(), 'troupe-heirs-'))
const guard = new Guard()
const means = { guard, clock: systemClock, log: pino({ level: 'silent' }) }
t.teardown(() => {
  guard.stop()
  rmSync(root, { recursive: true })
})

/** The folder of a browser whose agent is dead, and which is taken for running. */
async function heirloom(sessionId: string) {
  const id = newId('brw')
  const dir = join(root, id)
  mkdirSync(dir)
  const record = BrowserRecord.of({ dir, tmpLink: join(root, `${id}-link`) }, id)
  await record.update({ session: { id: sessionId } })
  return { dir, record: (await readRecord(dir))! }
}

function stage(answers: Answer[], adopt: () => Promise<Played>) {
  const told: object[] = []
  const went: string[] = []
  const removed: string[] = []
  const options: InheritanceOptions<Played> = {
    ...means,
    address: { nodeId: 'n1', incarnation: 'n1.node-agent.2', machine: 'm', dataUrl: 'http://n1' },
    sessions: { adopt: (_, __, sessionId) => void went.push(sessionId) },
    pool: { adopt: () => undefined },
    reports: {
      async send(_, report) {
        told.push(report)
        const answer = answers.length > 1 ? answers.shift()! : answers[0]!
        if (answer instanceof Error) throw answer
        return { claim: { browserId: 'brw_1' }, options: {}, ...answer } as never
      },
    },
    reconciler: { report: async (_, event) => void told.push(event) },
    withinMs: 2_000,
    removeGroup: async ({ browserId }) => void removed.push(browserId),
    adopt,
  }
  return { told, went, removed, options }
}

const browser = { keepFor: () => undefined } as unknown as Played

t.test('a session that cannot answer at once is asked again, and goes on', async (t) => {
  const one = await heirloom('ses_1')
  const answers = [new ServiceError('timeout', 'late'), { keep: true }]
  const { told, went, options } = stage(answers, async () => browser)
  t.same(await inherit([one], options), ['ses_1'])
  t.same(went, ['ses_1'])
  const { browserId } = one.record
  t.match(told[1], { type: 'browser.adopt', browserId, incarnation: 'n1.node-agent.2' })
})

t.test('a browser that is not wanted is removed', async (t) => {
  for (const answer of [
    { keep: false },
    new ServiceError('not_found', 'no session'),
    new ServiceError('session_ended', 'it has ended'),
  ]) {
    const one = await heirloom('ses_2')
    const { told, went, removed, options } = stage([answer], async () => browser)
    t.same(await inherit([one], options), [])
    t.same([told.length, went.length], [1, 0])
    t.same(removed, [one.record.browserId])
    t.notOk(existsSync(one.dir))
  }
})

t.test('one whose session never answers is removed too', async (t) => {
  const one = await heirloom('ses_3')
  const { options } = stage([new ServiceError('timeout', 'late')], async () => browser)
  t.same(await inherit([one], { ...options, withinMs: 1 }), [])
  t.notOk(existsSync(one.dir))
})

t.test('a session is told that its browser could not be taken over', async (t) => {
  const one = await heirloom('ses_4')
  const { told, went, options } = stage([{ keep: true }], () =>
    Promise.reject(new Error('no pipe')),
  )
  t.same(await inherit([one], options), [])
  t.same(went, [])
  t.match(told[1], { type: 'browser.gone', cause: 'crashed', detail: /could not take it over/ })
})

t.test('a folder is set aside only if its browser runs for a session', async (t) => {
  const one = await heirloom('ses_5')
  const record = BrowserRecord.of({ dir: one.dir, tmpLink: '/nowhere' }, one.record.browserId)
  const sleeper = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  t.teardown(() => sleeper.kill('SIGKILL'))
  const alive = { pgid: sleeper.pid!, startTime: startTimeOf(sleeper.pid!)! }
  const dead = { pgid: 999_999_999, startTime: '1' }
  const write = async (content: object) => {
    Object.assign(record.content, { agent: dead }, content)
    await record.update()
  }
  const ready = { agentSession: 's', pageId: 'p', ownContextId: 'c' }
  const whole = { ready, browser: alive, session: { id: 'ses_5' }, display: [] }
  const sweep = (inherits: boolean) => sweepLeftovers(root, { ...means, inherits })
  await write({ ...whole, agent: alive })
  t.same(await sweep(true), { removed: 0, heirlooms: [] }, 'its agent lives')
  await write(whole)
  t.equal((await sweep(true)).heirlooms.length, 1)
  await write({ ...whole, browser: dead })
  t.same(await sweep(true), { removed: 1, heirlooms: [] }, 'it has been taken, and has ended')
  t.notOk(existsSync(one.dir))
  guard.release(one.record.browserId)
})
