/** Goal: what doctor finds and can be better is marked as such, and not as good. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import t from 'tap'
import { doctorChecks } from '../../../../runtime/cli/machine/doctor-checks.ts'
import { loadConfig } from '../../../../runtime/config/config.ts'
import { findDelegation } from '../../../../runtime/process/cgroups/delegation.ts'
import { openProcessLog } from '../../../../runtime/process/role/process-log.ts'

const folder = mkdtempSync(join(tmpdir(), 'troupe-doctor-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

t.test('a store that does not sync each write is a caveat', async (t) => {
  const look = (version: string) => {
    const NATS_SERVER_BIN = join(folder, 'nats-server')
    writeFileSync(NATS_SERVER_BIN, `#!/bin/sh\necho "nats-server: v${version}"\n`)
    chmodSync(NATS_SERVER_BIN, 0o755)
    return doctorChecks['NATS']!(loadConfig({ DATA_DIR: folder, NATS_SERVER_BIN }))
  }
  t.match(await look('2.9.20'), { state: 'warn', found: /power/, fix: /2\.10/ })
  t.match(await look('2.12.1'), { state: 'ok', found: 'nats-server 2.12.1' })
})

t.test('limits that are only polled are a caveat', async (t) => {
  const { type } = findDelegation({ pid: process.pid, firstPid: process.pid })
  const found = await doctorChecks['bounds']!(loadConfig({ DATA_DIR: folder }))
  t.match(found, type === 'none' ? { state: 'warn', fix: /by the kernel/ } : { state: 'ok' })
})

t.test('the log has times that people can read', async (t) => {
  const lines: string[] = []
  const output = new Writable({ write: (line, _, done) => (lines.push(String(line)), done()) })
  openProcessLog({ LOG_LEVEL: 'info' }, 'gateway', output).info('up')
  const { time, role, msg } = JSON.parse(lines[0]!) as Record<string, string>
  t.match({ role, msg }, { role: 'gateway', msg: 'up' })
  t.equal(new Date(time!).toISOString(), time)
})
