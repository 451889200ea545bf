/**
 * Goal: a supervisor that is stopped while it starts leaves nothing running. Method: a nats-server
 * that is slow to print its version, which is asked first.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import t from 'tap'
import { loadConfig } from '../../../../runtime/config/config.ts'
import { prepareNatsServer } from '../../../../runtime/store/nats/server/server.ts'
import {
  Supervisor,
  type SupervisorEvent,
} from '../../../../runtime/process/supervisor/supervisor.ts'
import { until } from '../../../helpers/lib/until.ts'

t.test('a stop before the store has started leaves it unstarted', async (t) => {
  const dir = t.testdir()
  const [asked, answer, said] = ['asked', 'answer', 'said'].map((name) => join(dir, name))
  const bin = join(dir, 'nats-server')
  const script = [
    '#!/bin/sh',
    `touch ${asked}; until [ -e ${answer} ]; do sleep 0.02; done`,
    `echo v2.10.27; touch ${said}`,
  ]
  writeFileSync(bin, script.join('\n'), { mode: 0o755 })
  const config = loadConfig({ DATA_DIR: join(dir, 'data'), NODE_ID: 'n', NATS_SERVER_BIN: bin })
  const events: SupervisorEvent[] = []
  const stop = new AbortController()
  const started = Supervisor.start(
    {
      config,
      log: pino({ level: 'silent' }),
      writeLine: () => undefined,
      onEvent: (event) => events.push(event),
    },
    stop.signal,
  )
  const refused = t.rejects(started, { message: 'stopped' })
  await until('its version is asked', () => existsSync(asked!))
  stop.abort(new Error('stopped'))
  await refused
  writeFileSync(answer!, '')
  await until('it has said it', () => existsSync(said!))
  // The same preparation again: when it ends, the first has certainly finished.
  await prepareNatsServer(config)
  t.same(events, [])
})
