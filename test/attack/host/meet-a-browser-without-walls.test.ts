/**
 * An attacker waits for a host on which namespaces cannot be made, so that pages run beside its files and
 * without Chromium's sandbox, after a warning that nobody reads. Method: `troupe up` as others would reach
 * it, where the programs that make the walls fail, one after the other; and the same for this machine alone.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { markerZip } from '../../helpers/extensions/marker.ts'
import { uploaded } from '../../helpers/extensions/uploading.ts'
import { isolationHere, isolationOf } from '../../helpers/service/isolation-here.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { startService } from '../../helpers/service/service.ts'

const walls = ['bwrap', 'unshare', 'socat', 'ip']
const skip = Object.keys(isolationHere).length > 0 && 'this machine cannot make all the walls'

/** A PATH on which these fail, as they do where the kernel refuses. */
function pathWithout(programs: readonly string[]): string {
  const folder = join(t.testdirName, programs.join('-'))
  mkdirSync(folder, { recursive: true })
  for (const program of programs) {
    writeFileSync(join(folder, program), '#!/bin/sh\nexit 1\n')
    chmodSync(join(folder, program), 0o755)
  }
  return `${folder}:${process.env['PATH']}`
}

const up = (env: Readonly<Record<string, string>>) =>
  runTroupe(['up'], { PORT: '0', DATA_DIR: join(t.testdirName, 'data'), ...env })

t.before(() => t.testdir())

t.test('a service that others reach does not start', { skip }, async (t) => {
  const reached = { PUBLIC_URL: 'https://browsers.example' }
  for (const program of walls) {
    const { code, stderr } = await up({ ...reached, PATH: pathWithout([program]) })
    t.equal(code, 1, program)
    t.match(stderr, /^troupe: Others can reach this service, and .+ Fix it: .+\n$/, program)
  }
  const trusted = { HOST: '0.0.0.0', ISOLATION_I_TRUST_ALL_KEYS: '1', PATH: pathWithout(walls) }
  const { code, stderr } = await up(trusted)
  t.equal(code, 1, 'who trusts all keys does not trust all pages')
  t.match(stderr, /without its sandbox.*CHROMIUM_SANDBOX=off/)
})

t.test('one for this machine alone starts, and says what it lacks', { skip }, async (t) => {
  const service = await startService({ env: { POOL_HEADLESS: '0', PATH: pathWithout(walls) } })
  t.teardown(() => service.stop())
  t.equal(await isolationOf(service), 'none')
  const { id } = await uploaded(service, 'marker', markerZip())
  const body = { browser: { headless: { active: true }, extensions: [id] } }
  const { body: refusal } = await service.rest('POST', '/v1/sessions', body)
  t.match(refusal.error, { type: 'unsupported_option', message: /Marker: .*an extension: .+ Fix/ })
  t.match(service.output(), /! isolation +.*share the files of this host/)
  t.match(service.output(), /without its sandbox/)
})
