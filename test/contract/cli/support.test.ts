/**
 * Goal: one file has what a maintainer asks for first, and no secret. Method: the whole service, the
 * command in a process of its own, with secrets in its settings.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { version } from '../../../runtime/lib/package.ts'
import { runTroupe } from '../../helpers/service/run-troupe.ts'
import { startService } from '../../helpers/service/service.ts'

const service = await startService()
t.teardown(() => service.stop())
const folder = mkdtempSync(join(tmpdir(), 'troupe-support-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'support.txt')
const secrets = { NATS_PASSWORD: 'planted-one', NATS_TOKEN: 'planted-two' }

t.test('it has versions, settings, checks, processes and the end of the log', async (t) => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `{"n":${n},"msg":"line"}\n`)
  writeFileSync(join(service.dataDir, 'troupe.log'), lines.join(''))
  const env = { DATA_DIR: service.dataDir, PORT: String(service.port), ...secrets }
  const ran = await runTroupe(['support', file], {
    ...env,
    PUBLIC_URL: 'https://u:planted-three@x',
  })
  t.match(ran, { code: 0, stdout: /wrote .*support\.txt; read it before you send it/ }, ran.stderr)
  const text = readFileSync(file, 'utf8')
  t.match(text, `Troupe ${version}, Node ${process.version}`)
  t.match(text, `PORT=${service.port}\n`)
  t.match(text, /NATS_PASSWORD=set/)
  t.match(text, /ok +Node: /)
  t.match(text, /node-agent +\S+ alive .*"?capacity"? /)
  t.match(text, /KV_siteLogins +\d/)
  t.match(text, /\{"n":19999,"msg":"line"\}\n/)
  t.notMatch(text, /"n":0,/, 'the end only')
  t.notMatch(text, /planted/)
  t.notOk(text.includes(service.key))
  t.equal(statSync(file).mode & 0o777, 0o600)
})

t.test('a file that exists stays, and what cannot be had is told', async (t) => {
  t.match(await runTroupe(['support', file], { DATA_DIR: service.dataDir }), {
    code: 1,
    stderr: /was not written: .*exist/,
  })
  const other = join(folder, 'other.txt')
  t.match(await runTroupe(['support', other], { DATA_DIR: folder }), { code: 0 })
  const text = readFileSync(other, 'utf8')
  t.match(text, /# Processes and store\n\nnot available: /)
  t.match(text, /# End of the log\n\nnot available: .*journalctl/)
})
