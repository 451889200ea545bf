// Goal: in a service as a user starts it, people's actions are in the audit within moments, can be
// read over REST, are verified by the command, and are written by the actor host alone.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startService, troupe } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

t.setTimeout(300_000)

interface Listed {
  readonly data: readonly {
    readonly id: string
    readonly action: string
    readonly outcome: string
    readonly actor: { readonly id: string }
  }[]
}

t.test('people’s actions, refusals and decisions are recorded', async (t) => {
  const service = await startService({ env: { ACCESS_SINGLE_OPERATOR: '1' } })
  t.teardown(() => service.stop())
  const { baseUrl, dataDir } = service
  const env = { ...process.env, DATA_DIR: dataDir }
  const command = (...args: string[]) =>
    promisify(execFile)(process.execPath, [troupe, ...args], { env })
  const failing = (...args: string[]) =>
    command(...args).then(
      ({ stdout }) => ({ code: 0, stdout }),
      (error: { readonly code: number; readonly stdout: string }) => error,
    )
  const invited = await command('access', 'bootstrap', 'ada@example.com')
  const [, invitation] = /(spai_\w+)/.exec(invited.stdout) ?? []
  const post = (path: string, body: unknown, token?: string) =>
    fetch(baseUrl + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    })
  const password = 'correct horse battery'
  const accepted = await until('the invitation is known', async () => {
    const answer = await post('/v1/sign-in/invitations', { invitation, password })
    return answer.ok && answer.text()
  })
  const [token = ''] = /spas_\w+/.exec(accepted) ?? []
  await post('/v1/sign-in', { email: 'ada@example.com', password: 'not this one at all' })
  const contact = { name: 'Grace', email: 'grace@example.com' }
  const made = await post('/v1/clients', { name: 'Acme', slug: 'acme', contact }, token)
  t.equal(made.status, 201, await made.text())

  const read = async (path: string) => {
    const answer = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } })
    return { status: answer.status, text: await answer.text() }
  }
  const wanted = ['person.invited', 'person.accepted', 'access.sign_in_failed', 'client.created']
  const listed = await until('all of it is told', async () => {
    const { text } = await read('/v1/audit-entries?limit=100')
    const { data } = JSON.parse(text) as Listed
    return wanted.every((action) => data.some((entry) => entry.action === action)) && { data, text }
  })
  for (const secret of [invitation!, token, password, 'grace@example.com', 'ada@example.com']) {
    t.notOk(listed.text.includes(secret), 'no secret and no address is told')
  }
  const { id } = listed.data.find(({ action }) => action === 'client.created')!
  t.match(await read(`/v1/audit-entries/${id}`), { status: 200 })
  t.match((await read('/v1/audit-entries/verify')).text, '"ok":true')
  const verified = await command('audit', 'verify')
  t.match(verified.stdout, /^platform: good/m)
  t.match(verified.stdout, /^cli_\w+: good/m)
  const kept = join(dataDir, 'audit.ndjson')
  const exported = await read('/v1/audit-entries/export')
  writeFileSync(kept, exported.text)
  const held = await command('audit', 'verify', '--export', kept)
  t.match(held.stdout, /^platform: good, .* of the export match$/m)
  t.match(held.stdout, `${kept}: good, whole as exported at `)
  const lines = exported.text.split('\n')
  for (const cut of [lines.toSpliced(1, 1), lines.slice(0, -2), lines.toSpliced(0, 1)]) {
    writeFileSync(kept, cut.join('\n'))
    const { code, stdout } = await failing('audit', 'verify', '--export', kept)
    t.match(stdout, `${kept}: BAD: `)
    t.equal(code, 1)
  }
  writeFileSync(kept, exported.text.replace('"outcome":"failed"', '"outcome":"success"'))
  t.match(await failing('audit', 'verify', '--export', kept), {
    code: 1,
    stdout: /^platform: BAD at entry \d+: the export has different content/m,
  })
  await until('the audit tells of the export', async () => {
    return (await read('/v1/audit-entries?limit=100')).text.includes('access.audit_exported')
  })
  await until('the metrics say so', async () => {
    const { body } = await service.rest<string>('GET', '/metrics')
    return /^troupe_audit_entries [1-9]/m.test(body)
  })

  const userOf = (role: 'gateway' | 'node-agent' | 'actors') =>
    /NATS_USER=([\w-]+)/.exec(readFileSync(`/proc/${service.pidOf(role)}/environ`, 'utf8'))?.[1]
  t.same(
    [userOf('gateway'), userOf('node-agent'), userOf('actors')],
    ['gateway', 'node-agent', 'troupe'],
  )
})
