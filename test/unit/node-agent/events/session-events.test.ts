/**
 * Goal: what happens in a session is kept in order, numbered, bounded, without logins, and known to the
 * next agent. Method: real files, a played browser, and a clock that the test moves on.
 */
import { appendFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { CdpEvent } from '../../../../node-agent/cdp/protocol.ts'
import { openEventFiles } from '../../../../node-agent/events/event-files.ts'
import { eventLimits } from '../../../../node-agent/events/limits.ts'
import { SessionEvents } from '../../../../node-agent/events/session-events.ts'
import type { BegunDownload } from '../../../../node-agent/files/downloads.ts'
import { FilledValues } from '../../../../node-agent/logins/filled-values.ts'
import { newId } from '../../../../proto/ids.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { until } from '../../../helpers/lib/until.ts'
import { silent } from '../../../helpers/nats/nats.ts'

const act = { type: 'act', client: 'c1', act: 'click' } as const
const noFilled = () => new FilledValues()

function open(t: Test) {
  const settings = { DATA_DIR: t.testdir(), NODE_ID: 'b1' }
  const due: (() => void)[] = []
  const clock = {
    ...systemClock,
    timer(ms: number, fire: () => void) {
      if (ms === eventLimits.writeAfterMs) due.push(fire)
      return { cancel: () => undefined }
    },
  }
  const agent = () => {
    const means = { clock, log: silent }
    const events = new SessionEvents({ ...means, files: openEventFiles(settings, means) })
    t.teardown(() => events.stop())
    return events
  }
  const folder = join(settings.DATA_DIR, 'events', 'b1')
  const writeNow = () => due.splice(0).forEach((fire) => fire())
  return { agent, folder, writeNow }
}

function playedBrowser() {
  let hear: (event: CdpEvent) => void = () => undefined
  let begun: (download: BegunDownload) => void = () => undefined
  return {
    browser: {
      cdp: { onEvent: (listener: typeof hear) => ((hear = listener), () => undefined) },
      ownContextId: 'own',
      files: {
        downloads: { onBegin: (listener: typeof begun) => ((begun = listener), () => undefined) },
      },
      filled: noFilled(),
    },
    target: (method: string, info: object) =>
      hear({ method, params: { targetInfo: { type: 'page', ...info } } } as CdpEvent),
    gone: (method: string, targetId: string) => hear({ method, params: { targetId } } as CdpEvent),
    download: (download: BegunDownload) => begun(download),
  }
}

t.test('in the order of their times, numbered, and read from any of them', async (t) => {
  const { agent, writeNow } = open(t)
  const events = agent()
  const [one, other] = [newId('ses'), newId('ses')]
  events.begin(one, 'acme', playedBrowser().browser)
  events.begin(other, 'acme', playedBrowser().browser)
  events.add(one, { ...act, x: 2 })
  events.add(one, { ...act, x: 1, at: '2026-01-01T00:00:00.000Z' })
  events.add(one, { ...act, x: 3 })
  events.add(other, { ...act, x: 9 })
  t.same(await events.read({ sessionId: one, after: 0 }), { events: [], hasMore: false })
  writeNow()
  t.match(await written(events, one, 3), [
    { n: 1, x: 1, at: '2026-01-01T00:00:00.000Z' },
    { n: 2, x: 2, at: /^\d{4}-.*Z$/ },
    { n: 3, x: 3 },
  ])
  events.add(one, { ...act, x: 4 })
  writeNow()
  await written(events, one, 4)
  t.match((await events.read({ sessionId: one, after: 2 })).events, [{ n: 3 }, { n: 4, x: 4 }])
  t.match((await events.read({ sessionId: one, after: 0, last: 1 })).events, [{ n: 4 }])
  t.match(await written(events, other, 1), [{ n: 1, x: 9 }])
  t.same(await events.read({ sessionId: newId('ses'), after: 0 }), { events: [], hasMore: false })
})

t.test('they are there after the end, with what was told in its moment', async (t) => {
  const { agent, folder, writeNow } = open(t)
  const events = agent()
  const sessionId = newId('ses')
  events.begin(sessionId, 'acme', playedBrowser().browser)
  events.add(sessionId, act)
  events.end(sessionId)
  events.add(sessionId, act)
  writeNow()
  await written(events, sessionId, 2)
  await until('it is over', () =>
    events.journalOf(sessionId).then(
      () => false,
      () => true,
    ),
  )
  events.add(sessionId, act)
  writeNow()
  t.same(readdirSync(folder), [`acme.${sessionId}.jsonl`])
  t.equal(statSync(join(folder, `acme.${sessionId}.jsonl`)).mode & 0o777, 0o600)
  t.equal((await allOf(events, sessionId)).length, 2)
})

t.test('the next agent goes on, also after a line that was not finished', async (t) => {
  const { agent, folder, writeNow } = open(t)
  const sessionId = newId('ses')
  const first = agent()
  first.begin(sessionId, 'acme', playedBrowser().browser)
  first.add(sessionId, act)
  first.stop()
  t.match(await written(first, sessionId, 1), [{ n: 1 }])
  appendFileSync(join(folder, `acme.${sessionId}.jsonl`), '{"n":2,"at":"20')
  const next = agent()
  next.begin(sessionId, 'acme', playedBrowser().browser)
  next.add(sessionId, { ...act, x: 7 })
  writeNow()
  t.match(await written(next, sessionId, 2), [{ n: 1 }, { n: 2, x: 7 }])
})

t.test('a session that never rests keeps the newest', async (t) => {
  const { agent, folder, writeNow } = open(t)
  const sessionId = newId('ses')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `acme.${sessionId}.jsonl.new`), 'of an agent that was killed')
  const events = agent()
  events.begin(sessionId, 'acme', playedBrowser().browser)
  const url = `https://a.example/${'x'.repeat(480)}`
  const rounds = 30
  for (let round = 1; round <= rounds; round++) {
    for (let n = 0; n < eventLimits.eventsPerWrite + 7; n++) events.add(sessionId, { ...act, url })
    writeNow()
    const count = round * (eventLimits.eventsPerWrite + 1)
    const last = await until('they are written', async () => {
      const [newest] = (await events.read({ sessionId, after: 0, last: 1 })).events
      return newest?.n === count && newest
    })
    t.match(last, { type: 'skipped', count: 7 })
  }
  const all = await allOf(events, sessionId)
  t.equal(all.length, all.at(-1)!.n - all[0]!.n + 1, 'without gaps')
  t.ok(all[0]!.n > 1)
  t.same(readdirSync(folder), [`acme.${sessionId}.jsonl`])
  t.ok(statSync(join(folder, `acme.${sessionId}.jsonl`)).size <= eventLimits.sessionBytes)
})

const written = (events: SessionEvents, sessionId: string, count: number) =>
  until(`${count} are written`, async () => {
    const all = await allOf(events, sessionId)
    return all.length >= count && all
  })

async function allOf(events: SessionEvents, sessionId: string) {
  const all = []
  for (let after = 0; ; after = all.at(-1)!.n) {
    const page = await events.read({ sessionId, after })
    all.push(...page.events)
    if (!page.hasMore) return all
  }
}

t.test('what a browser does by itself, and nothing of the service’s own pages', async (t) => {
  const { agent, writeNow } = open(t)
  const events = agent()
  const sessionId = newId('ses')
  const { browser, target, gone, download } = playedBrowser()
  events.begin(sessionId, 'acme', browser)
  target('Target.targetInfoChanged', { targetId: 'A', url: 'about:blank' })
  target('Target.targetInfoChanged', { targetId: 'A', url: 'https://u:p@a.example/x?y=1' })
  target('Target.targetInfoChanged', {
    targetId: 'A',
    url: 'https://u:p@a.example/x?y=1',
    title: 1,
  })
  target('Target.targetCreated', { targetId: 'H', url: 'about:blank', browserContextId: 'own' })
  target('Target.targetCreated', { targetId: 'B', url: '' })
  target('Target.targetCreated', { targetId: 'W', url: 'https://a.example/w.js', type: 'worker' })
  target('Target.targetInfoChanged', { targetId: 'B', url: `data:,${'x'.repeat(1_000)}` })
  download({ id: newId('fil'), name: 'report.pdf' })
  gone('Target.targetCrashed', 'A')
  gone('Target.targetDestroyed', 'B')
  gone('Target.targetDestroyed', 'H')
  writeNow()
  t.match(await written(events, sessionId, 6), [
    { type: 'page_navigated', page: 'A', url: 'https://a.example/x?y=…' },
    { type: 'page_opened', page: 'B', url: '' },
    { type: 'page_navigated', page: 'B', url: 'data:…' },
    { type: 'download', name: 'report.pdf' },
    { type: 'page_crashed', page: 'A' },
    { type: 'page_closed', page: 'B' },
  ])
})

t.test('commands as older gateways ask for them', async (t) => {
  const { agent, writeNow } = open(t)
  const events = agent()
  const sessionId = newId('ses')
  events.begin(sessionId, 'acme', playedBrowser().browser)
  const command = { type: 'command', command: 'click', ms: 3, outcome: 'done' } as const
  events.add(sessionId, command)
  events.add(sessionId, act)
  events.add(sessionId, { ...command, outcome: 'timeout', task: 'tsk_1' })
  writeNow()
  await written(events, sessionId, 3)
  t.match(await events.journalOf(sessionId), {
    entries: [
      { command: 'click', ms: 3, atMs: Number, error: undefined },
      { command: 'click', error: 'timeout', task: 'tsk_1' },
    ],
  })
})
