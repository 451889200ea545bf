/**
 * Goal: a session learns once what has become of its video, whoever was away meanwhile. Method: records
 * of videos as agents write them, and actor hosts that are played.
 */
import { pino } from 'pino'
import t, { type Test } from 'tap'
import type { AgentReport } from '../../../../proto/browser-host/agent-reports.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { newId } from '../../../../proto/ids.ts'
import { MadeReports } from '../../../../node-agent/video/made-reports.ts'
import {
  readVideoRecord,
  writeVideoRecord,
  type VideoRecord,
} from '../../../../node-agent/video/video-record.ts'

const log = pino({ level: 'silent' })
const sessionId = newId('ses')
const browserId = newId('brw')
const spans = [
  { atMs: 1_000, ms: 1_600 },
  { atMs: 9_000, ms: 2_000 },
]
const finished = { atMs: 12_000, bytes: 5, spans }
const record: VideoRecord = {
  ...{ tenant: 't', sessionId, browserId, startedAtMs: 1_000 },
  size: { width: 100, height: 100 },
}

async function setUp(t: Test, its: Partial<VideoRecord>, refuse?: () => Error | undefined) {
  const folder = t.testdir()
  await writeVideoRecord(folder, { ...record, ...its })
  const sent: AgentReport[] = []
  const reports = {
    send: async (id: string, report: AgentReport) => {
      t.equal(id, sessionId)
      const error = refuse?.()
      if (error) throw error
      sent.push(report)
      return null as never
    },
  }
  const made = new MadeReports({ reports, log })
  const tell = () => made.tell(folder)
  return { sent, tell, isTold: async () => (await readVideoRecord(folder))?.isTold === true }
}

t.test('a video that is made is told of once', async (t) => {
  const { sent, tell, isTold } = await setUp(t, { finished })
  await tell()
  await tell()
  const made = { outcome: 'ready', seconds: 4 }
  t.same(sent, [{ type: 'recording.made', browserId, made }])
  t.ok(await isTold())
})

t.test('so is one that cannot be, with the reason', async (t) => {
  const none = { ...finished, bytes: 0, spans: [] }
  const { sent, tell } = await setUp(t, { finished: none, problem: 'Nothing was shown.' })
  await tell()
  t.match(sent, [{ made: { outcome: 'failed', seconds: 0, problem: 'Nothing was shown.' } }])
})

t.test(
  'not one that is not finished, or that a version without such reports has made',
  async (t) => {
    const running = await setUp(t, {})
    await running.tell()
    const { browserId: _, ...old } = record
    const older = await setUp(t, { ...old, browserId: undefined as never, finished })
    await older.tell()
    t.same([...running.sent, ...older.sent], [])
  },
)

t.test('what was not heard is told again; a session that is gone need not hear it', async (t) => {
  let error: Error | undefined = new ServiceError('timeout', 'no answer')
  const late = await setUp(t, { finished }, () => error)
  await late.tell()
  t.notOk(await late.isTold())
  error = undefined
  await late.tell()
  t.equal(late.sent.length, 1)
  for (const type of ['not_found', 'bad_request'] as const) {
    const gone = await setUp(t, { finished }, () => new ServiceError(type, 'gone'))
    await gone.tell()
    t.ok(await gone.isTold(), type)
  }
})
