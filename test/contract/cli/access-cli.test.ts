// Goal: Surface A from a shell, against a service as a user starts it: the demo works within a
// minute and can be repeated; people sign in, ask, review, make tokens and revoke them. Method: the
// real commands in their own processes; the lines that the demo prints are sent unchanged.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { runTroupe, type Run } from '../../helpers/service/run-troupe.ts'
import { startService } from '../../helpers/service/service.ts'

const service = await startService()
t.teardown(() => service.stop())

const folders: string[] = []
t.teardown(() => folders.forEach((path) => rmSync(path, { recursive: true, force: true })))

const operator = { DATA_DIR: service.dataDir, SVC_BASE: service.baseUrl }

/** A person's shell, with its own folder so that several people can be signed in at once. */
class Shell {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'troupe-shell-'))
  readonly #env = { DATA_DIR: this.dataDir, SVC_BASE: service.baseUrl }

  constructor() {
    folders.push(this.dataDir)
  }

  get sessionPath(): string {
    return join(this.dataDir, 'access-session.json')
  }

  run(line: string, { input = '', env = {} }: Given = {}): Promise<Run> {
    return runTroupe(['access', ...wordsOf(line)], { ...this.#env, ...env }, input)
  }

  /** Returns what the command prints; throws when it fails. */
  async must(line: string, given: Given = {}): Promise<string> {
    const { code, stdout, stderr } = await this.run(line, given)
    if (code === 0) return stdout
    throw new Error(`troupe access ${line}: ${stderr}`)
  }
}

interface Given {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Splits a line into words and texts in double quotes. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? word)

const idIn = (text: string, prefix: string): string => {
  const [id] = new RegExp(`${prefix}_[0-9a-z]{26}`).exec(text) ?? []
  if (id !== undefined) return id
  throw new Error(`no ${prefix}_… in ${text}`)
}

const secretIn = (text: string, prefix: string): string => {
  const [secret] = new RegExp(`${prefix}_[0-9A-Za-z]{36}`).exec(text) ?? []
  if (secret !== undefined) return secret
  throw new Error(`no ${prefix}_… in what was printed`)
}

interface Asked {
  readonly status: number
  readonly body: { readonly data?: unknown; readonly error?: { readonly type: string } }
}

/** Sends the request of a printed curl line. */
async function curl(line: string): Promise<Asked> {
  const [, url = '', name = '', value = ''] = /^curl -s '(\S+)' -H '(.+?): (.+?)'/.exec(line) ?? []
  const response = await fetch(url, { headers: { [name]: value } })
  return { status: response.status, body: (await response.json()) as Asked['body'] }
}

const passwordIn = (stderr: string, email: string): string =>
  new RegExp(`${email} .*password (\\S+)`).exec(stderr)?.[1] ?? ''

const [ada, grace, mina] = [new Shell(), new Shell(), new Shell()]
const password = 'correct horse battery'
const demo = (...more: string[]) => runTroupe(['access', 'demo', ...more], operator)
let firstDemo: Run

/** The one that the demo's grants serve; its requests that wait have others. */
async function demoNeed(): Promise<string> {
  const rows = (await ada.must('needs --status open')).split('\n')
  return idIn(rows.find((row) => row.includes('Newsletter and shop work')) ?? '', 'nd')
}

t.test('an invitation sets a password, and only its owner can read the sign-in', async (t) => {
  const invited = await runTroupe(
    ['access', 'bootstrap', 'ada@example.com', 'grace@example.com'],
    operator,
  )
  t.equal(invited.code, 0, invited.stderr)
  for (const [shell, email] of [
    [ada, 'ada@example.com'],
    [grace, 'grace@example.com'],
  ] as const) {
    const [row = ''] = invited.stdout.split('\n').filter((line) => line.startsWith(email))
    const invitation = secretIn(row, 'spai')
    const input = `${password}\n`
    const { code, stdout, stderr } = await shell.run(
      `sign-in ${email} --invitation ${invitation}`,
      { input },
    )
    t.equal(code, 0, stderr)
    t.equal(statSync(shell.sessionPath).mode & 0o777, 0o600)
    const kept = readFileSync(shell.sessionPath, 'utf8')
    t.match(kept, `"url":"${service.baseUrl}"`)
    t.notMatch(stdout + stderr, secretIn(kept, 'spas'), 'the token is not shown')
    t.match(await shell.must('whoami'), email)
  }
})

t.test('a wrong password gives a one-line error, and stores no session', async (t) => {
  const shell = new Shell()
  const input = 'another horse battery\n'
  const { code, stdout, stderr } = await shell.run('sign-in ada@example.com', { input })
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(
    stderr,
    /^troupe: The e-mail address, the password or the code is wrong[^\n]+\(unauthorized\)\n$/,
  )
  t.notOk(existsSync(shell.sessionPath))
  t.match(await shell.run('whoami'), { code: 1, stderr: /you are not signed in/ })
  t.match(await shell.run('sign-in ada@example.com'), { code: 1, stderr: /a password is required/ })
})

t.test('signing out ends the session and removes its file', async (t) => {
  const shell = new Shell()
  await shell.must('sign-in ada@example.com', { input: `${password}\n` })
  const token = secretIn(readFileSync(shell.sessionPath, 'utf8'), 'spas')
  await shell.must('sign-out')
  t.notOk(existsSync(shell.sessionPath))
  const headers = { authorization: `Bearer ${token}` }
  t.equal((await fetch(`${service.baseUrl}/v1/me`, { headers })).status, 401)
})

t.test('who cannot sign in gets a reset from another person or from the host', async (t) => {
  const id = idIn(await grace.must('whoami'), 'usr')
  const own = await grace.run(`reset ${id} --reason "I want to set it myself"`)
  t.match(own, { code: 1, stdout: '', stderr: /\(self_review\)/ })
  const made = await ada.run(`reset ${id} --reason "she called me about her new phone"`)
  t.match(made, { code: 0, stderr: /grace@example.com --reset TEXT/ })
  const text = secretIn(made.stdout, 'spai')
  const next = 'a second horse battery\n'
  await grace.must(`sign-in grace@example.com --reset ${text}`, { input: next })
  const used = await grace.run(`sign-in grace@example.com --reset ${text}`, { input: next })
  t.match(used, { code: 1, stderr: /unknown, used or expired/ })
  const args = [
    'access',
    'reset',
    'grace@example.com',
    '--on-host',
    '--reason',
    'nobody can sign in',
  ]
  const onHost = await runTroupe(args, operator)
  t.equal(onHost.code, 0, onHost.stderr)
  const again = `sign-in grace@example.com --reset ${secretIn(onHost.stdout, 'spai')}`
  await grace.must(again, { input: `${password}\n` })
  const nobody = await runTroupe(args.with(2, 'nobody@example.com'), operator)
  t.match(nobody, { code: 1, stderr: /there is no person with the id or e-mail address/ })
})

t.test('the demo adds no staff to existing staff without --yes', async (t) => {
  const { code, stdout, stderr } = await demo()
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(stderr, /^troupe: there are already staff \(.*ada@example.com.*--yes[^\n]+\n$/)
  t.equal(await ada.must('clients'), 'no clients\n')
})

t.test('the demo prints three lines that work: records, why, and a refusal', async (t) => {
  firstDemo = await demo('--yes')
  t.equal(firstDemo.code, 0, firstDemo.stderr)
  t.match(firstDemo.stderr, /42 records created, 0 already existed/)
  const lines = firstDemo.stdout.trim().split('\n')
  t.equal(lines.length, 3)
  const [records, why, refused] = await Promise.all(lines.map(curl))
  t.equal(records?.status, 200)
  t.equal((records?.body.data as unknown[]).length, 3)
  t.match(why, { status: 200, body: { data: { client: { name: 'Golden Crust Bakeries' } } } })
  t.match(refused, { status: 403, body: { error: { type: 'insufficient_scope' } } })
  const grants = await ada.must('grants --status active')
  t.match(grants, /integration newsletter +contacts:read opportunities:read tasks:read,write/)
  t.match(grants, /person usr_\w+ +tasks:read .*deployments:read/)
})

t.test('a second demo makes a new token and nothing else', async (t) => {
  const before = await Promise.all(['staff', 'members', 'requests'].map((list) => ada.must(list)))
  const { code, stdout, stderr } = await demo()
  t.equal(code, 0, stderr)
  t.match(stderr, /0 records created, 42 already existed/)
  t.notMatch(stderr, /password \S{16}/)
  t.not(secretIn(stdout, 'spat'), secretIn(firstDemo.stdout, 'spat'))
  const after = await Promise.all(['staff', 'members', 'requests'].map((list) => ada.must(list)))
  t.same(after, before)
  for (const line of [stdout, firstDemo.stdout]) t.equal((await curl(line)).status, 200)
})

t.test('access is requested, reviewed by others, used, and revoked', async (t) => {
  const minaPassword = passwordIn(firstDemo.stderr, 'mina@goldencrust.example')
  await mina.must('sign-in mina@goldencrust.example', { input: `${minaPassword}\n` })
  const scope = idIn(await ada.must('scopes --status active'), 'scp')
  const need = await demoNeed()
  const drafted = await ada.must(
    `request --need ${need} --scope ${scope} --for loyalty --access contacts:read,tasks:read ` +
      '--until 20d --why "The loyalty cards are printed from contacts."',
  )
  t.match(drafted, /Status +draft/)
  const request = idIn(drafted, 'acr')
  const pending = await ada.must(`submit ${request}`)
  t.match(pending, /Status +pending/)
  t.match(pending, /Approvals +1 × staff_reviewer, 1 × client_owner/)

  const own = await ada.run(`review ${request} approve --reason "I want it myself" --yes`)
  t.match(own, { code: 1, stdout: '', stderr: /\(self_review\)/ })
  const unasked = await grace.run(`review ${request} approve --reason "it is fine with me"`)
  t.match(unasked, { code: 1, stderr: /there is no terminal to ask on; use --yes/ })
  t.match(unasked.stderr, /Need +Newsletter and shop work/, 'shown before anything is asked')
  t.match(unasked.stderr, /Digest +[0-9a-f]{64}/)

  const first = await grace.must(`review ${request} approve --reason "it is fine with me" --yes`)
  t.equal(first, `${request} is pending\n`)
  const last = await mina.must(`review ${request} approve --reason "we asked for these" --yes`)
  const grant = idIn(last, 'gr')
  t.match(
    await mina.must(`show ${request}`),
    /Reviews +.*"it is fine with me"\n.*"we asked for these"/,
  )

  const token = `token ${grant} --name loyalty --scopes contacts:read --expires 7d`
  const secret = (await mina.must(token)).trim()
  t.match(secret, /^spat_\w{36}$/)
  const why = () => mina.run('why', { env: { TROUPE_TOKEN: secret } })
  t.match(await why(), { code: 0, stdout: /May +contacts:read\n/ })

  await grace.must(`suspend ${grant} --reason "let us look at this"`)
  t.match(await why(), { code: 1, stderr: /\(invalid_token\)|\(access_suspended\)/ })
  await grace.must(`resume ${grant} --reason "it was nothing"`)
  t.equal((await why()).code, 0)
  await mina.must(`revoke ${idIn(await mina.must(`show ${grant}`), 'tok')}`)
  t.match(await why(), { code: 1, stderr: /\(invalid_token\)/ })
  t.match(await mina.run(`revoke ${grant}`), { code: 2, stderr: /--reason TEXT is required/ })
  t.equal(
    await mina.must(`revoke ${grant} --reason "the cards are printed"`),
    `${grant} is revoked\n`,
  )
  t.match(await mina.must('grants --status revoked'), grant)
})

t.test('a change goes from a file to a record, by three people', async (t) => {
  const need = await demoNeed()
  const body = {
    ...{ need_id: need, kind: 'deployment', title: 'Deploy the new shop', risk: 'low' },
    patch: { environment: 'staging', release: '2.4.0' },
    ...{ impact: 'Nobody sees staging.', test_plan: 'The start page is there.' },
    rollback_plan: 'Deploy 2.3.9 again.',
  }
  const file = join(mina.dataDir, 'change.json')
  writeFileSync(file, JSON.stringify(body))
  const drafted = await mina.must(`change ${file}`)
  t.match(drafted, /Status +draft\n/)
  const change = idIn(drafted, 'chg')
  const proposed = await mina.must(`propose ${change}`)
  t.match(proposed, /Status +proposed\n/)
  t.match(proposed, /Patch +environment: "staging"\n +release: "2.4.0"\n/)
  t.match(proposed, /Approvals +1 × change_manager\n/)
  t.match(await mina.run(`review ${change} approve --reason "it is my own" --yes`), {
    ...{ code: 1, stderr: /\(self_review\)/ },
  })
  const reviewed = await grace.must(`review ${change} approve --reason "it is small" --yes`)
  t.equal(reviewed, `${change} is approved\n`)
  t.match(await grace.must(`schedule ${change} --until 2h`), /Scheduled +\S+/)
  t.match(await grace.run(`start ${change}`), { code: 1, stderr: /\(self_review\)/ })
  t.match(await ada.must(`start ${change}`), /Started +.* by usr_/)
  const done = await ada.must(`complete ${change} --evidence "the start page is there"`)
  t.match(done, /Status +done\n/)
  t.match(done, /Written +dpl_\w{26}, version 1\n/)
  t.match(await mina.must('changes --status done'), /chg_\w{26} +done +normal +low .*new shop/)
  t.match(await mina.must('templates'), /monitor-interval +update monitoring +interval_s /)
  t.match(await mina.run(`change ${file}x`), { code: 1, stderr: /cannot be read/ })
  t.match(await mina.run(`start ${need}`), { code: 2, stderr: /takes a change/ })
})

t.test('requests for what a person may not see are refused in one line', async (t) => {
  t.match(await mina.run('staff'), {
    code: 1,
    stdout: '',
    stderr: /^troupe: [^\n]+\(forbidden\)\n$/,
  })
  const nobody = 'cli_00000000000000000000000000'
  t.match(await mina.run(`show ${nobody}`), { code: 1, stderr: /\(not_found\)/ })
  const none = { code: 1, stdout: '', stderr: /no client with this id.*\(not_found\)/ }
  t.match(await ada.run(`grants --client ${nobody}`), none, 'a client that does not exist')
})

t.test(
  'closing a need ends access at once, and the demo makes again what is missing then',
  async (t) => {
    const need = await demoNeed()
    t.equal(await ada.must(`close-need ${need} --reason "the demo is over"`), `${need} is closed\n`)
    t.not((await curl(firstDemo.stdout)).status, 200)
    const again = await demo()
    t.equal(again.code, 0, again.stderr)
    t.match(again.stderr, /0 records created, 42 already existed/)
    t.equal((await curl(again.stdout)).status, 200)
    t.equal((await ada.must('clients')).trim().split('\n').length, 2, 'one client, under its heads')
  },
)
