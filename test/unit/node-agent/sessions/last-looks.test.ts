/**
 * Goal: the last picture of a session holds its end up for a moment at most, and a host that is to keep
 * none has none. Method: played browsers and a played clock; `e2e/console/last-picture` has real ones.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { newId } from '../../../../proto/ids.ts'
import { LastLooks } from '../../../../node-agent/sessions/last-looks.ts'
import { hostedSessionLimits } from '../../../../node-agent/sessions/limits.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const { withinMs } = hostedSessionLimits.lastLook

type SeenBrowser = Parameters<LastLooks['keep']>[2]

function setUp(folder: string, isOn = true) {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'agent')
  const config = { DATA_DIR: folder, NODE_ID: 'host', LAST_PICTURES: isOn }
  const looks = new LastLooks({ config, clock, log: pino({ level: 'silent' }) })
  return { timeline, looks }
}

const browserWith = (pages: SeenBrowser['pages']) => ({ pages }) as unknown as SeenBrowser

t.test('a browser that has stopped is waited for a moment', async (t) => {
  const { timeline, looks } = setUp(t.testdir())
  let isOver = false
  const stopped = browserWith(() => new Promise(() => undefined))
  void looks.keep(newId('ses'), 'acme', stopped).then(() => (isOver = true))
  await timeline.run(withinMs - 1)
  t.notOk(isOver)
  await timeline.run(1)
  t.ok(isOver)
  looks.stop()
})

t.test('one that fails ends its session like any other, and leaves nothing', async (t) => {
  const { looks } = setUp(t.testdir())
  const sessionId = newId('ses')
  const failing = browserWith(() => Promise.reject(new Error('the pipe is closed')))
  await looks.keep(sessionId, 'acme', failing)
  t.equal(await looks.of(sessionId), undefined)
  looks.stop()
})

t.test('a host that is to keep none does not look', async (t) => {
  const folder = t.testdir()
  const { looks } = setUp(folder, false)
  let asked = 0
  const browser = browserWith(async () => (asked++, []))
  await looks.keep(newId('ses'), 'acme', browser)
  t.equal(asked, 0)
  t.notOk(existsSync(join(folder, 'last-pictures')))
  looks.stop()
})
