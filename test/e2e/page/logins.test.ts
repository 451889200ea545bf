/**
 * Goal: a stored login fills in the form of its site, and nothing of what it fills in is shown to anyone
 * who may not read the page itself. Method: the whole service, a site with password and one-time codes,
 * and pages that repeat what they are given.
 */
import t, { type Test } from 'tap'
import { buckets } from '../../../proto/subjects.ts'
import { connectPlaywright } from '../../helpers/browser/browsers.ts'
import { until } from '../../helpers/lib/until.ts'
import { member, serveLoginSite } from '../../helpers/sites/login-site.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { createSession, startService, type ErrorJson } from '../../helpers/service/service.ts'

const service = await startService()
t.teardown(() => service.stop())
const site = await serveLoginSite()
t.teardown(() => site.close())

interface LoginAnswer {
  readonly data: {
    readonly name: string
    readonly origin: string
    readonly has: readonly string[]
    readonly last_session_id?: string
    readonly items: readonly { readonly name: string }[]
  }
  readonly error: ErrorJson & { readonly field?: string }
}

interface Filled {
  readonly data: Readonly<Record<string, unknown>>
  readonly error: ErrorJson & { readonly logins?: readonly string[] }
}

const rest = service.rest
const create = (body: object) => rest<LoginAnswer>('POST', '/v1/logins', body)
const ours = { origin: site.origin, allow_http: true, ...member }

async function session(t: Test, more: object = {}, active = true) {
  const browser = { headless: { active }, ...more }
  const made = await createSession(rest, { browser })
  t.teardown(() => rest('DELETE', `/v1/sessions/${made.id}`))
  const run = (command: string, input: object = {}) =>
    rest<Filled>('POST', `/v1/sessions/${made.id}/commands/${command}`, input)
  const done = async (command: string, input: object = {}) => {
    const { status, body } = await run(command, input)
    if (status !== 200)
      throw new Error(
        `${command}: ${status} ${body.error.message} ${service.output().slice(-1500)}`,
      )
    return body.data
  }
  const client = await connectPlaywright(made.cdp_url)
  t.teardown(() => client.close())
  return { ...made, run, done, page: client.contexts()[0]!.pages()[0]! }
}

t.test('a login is created, listed, changed and deleted; its values are never shown', async (t) => {
  const made = await create({ name: 'first', ...ours, fields: { company: 'Lind & Co' } })
  t.match(made, {
    status: 200,
    body: {
      data: {
        ...{ name: 'first', origin: site.origin, subdomains: false },
        has: ['username', 'password', 'code', 'company'],
      },
    },
  })
  t.match(await create({ name: 'first', ...ours }), { status: 409 })
  const path = '/v1/logins/first'
  const changed = await rest<LoginAnswer>('PATCH', path, { totp: null, password: 'another-one' })
  t.same(changed.body.data.has, ['username', 'password', 'company'])
  const emptied = { username: null, password: null, fields: null }
  t.match(await rest('PATCH', path, emptied), { status: 400 }, 'a login without values is none')
  const shown = JSON.stringify([
    made,
    changed,
    await rest('GET', '/v1/logins'),
    await rest('GET', path),
  ])
  for (const value of [...Object.values(member), 'Lind & Co', 'another-one']) {
    t.notOk(shown.includes(value), value)
  }
  t.match(await rest('DELETE', path), { status: 200 })
  t.match(await rest('GET', path), { status: 404 })
  t.match(await rest('DELETE', path), { status: 404 })
})

t.test('what cannot be a login is refused with the field that is wrong', async (t) => {
  const refused = async (body: object) => {
    const { status, body: answer } = await create(body)
    return `${status} ${answer.error.field}`
  }
  t.equal(await refused({ origin: 'http://shop.example', password: 'x' }), '400 origin')
  t.equal(await refused({ origin: 'ftp://shop.example', password: 'x' }), '400 origin')
  t.equal(await refused({ origin: 'shop.example', password: 'x' }), '400 origin')
  t.equal(await refused({ origin: 'https://shop.example' }), '400 username')
  t.equal(await refused({ origin: 'https://shop.example', totp: '!' }), '400 totp')
  const counting = 'otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP&counter=1'
  t.equal(await refused({ origin: 'https://shop.example', totp: counting }), '400 totp')
  t.equal(await refused({ origin: 'https://shop.example', password: 'a\nb' }), '400 password')
  t.equal(await refused({ origin: 'https://shop.example', name: 'a b', password: 'x' }), '400 name')
  const made = await create({ origin: 'https://Shop.Example:8443/account', password: 'x' })
  t.match(made.body.data, { name: 'shop.example-8443', origin: 'https://shop.example:8443' })
})

for (const active of [true, false]) {
  t.test(`it logs in, with a one-time code: ${active ? 'headless' : 'headful'}`, async (t) => {
    // A site takes each code once.
    const site = await serveLoginSite()
    t.teardown(() => site.close())
    const name = active ? 'shop' : 'shop-desktop'
    await create({ name, ...ours, origin: site.origin })
    t.teardown(() => rest('DELETE', `/v1/logins/${name}`))
    const { id, done, page } = await session(t, {}, active)
    await page.goto(`${site.origin}/account`)
    const first = await done('fill_login', { login: name, submit: true })
    t.match(first, { login: name, filled: ['username', 'password'], title: 'Code' })
    t.match(site.sent.at(-1), { user: member.username, pass: member.password })
    const second = await done('fill_login', { submit: true })
    t.match(second, { login: name, filled: ['code'], title: 'In' }, 'found by its origin')
    const used = await rest<LoginAnswer>('GET', `/v1/logins/${name}`)
    t.equal(used.body.data.last_session_id, id)
  })
}

t.test('a page that repeats what it gets shows it to no command, trace or picture', async (t) => {
  await create({ name: 'echo', ...ours })
  t.teardown(() => rest('DELETE', '/v1/logins/echo'))
  const { id, run, done, page } = await session(t, {
    evaluate: { active: true },
    tracing: { active: true },
  })
  await page.goto(`${site.origin}/echo`)
  await done('console')
  await done('network')
  const answers: unknown[] = [await done('fill_login')]
  t.match(answers[0], { login: 'echo', filled: ['username', 'password'] })
  const values = [member.username, member.password]
  t.ok(await page.locator('#echo').innerText(), 'the page has them')
  t.equal(await page.locator('#twin').inputValue(), values.join(' | '), 'the page has them')
  await until('the page has told it', async () => {
    answers.push(await done('console'), await done('network'))
    return JSON.stringify(answers).includes('/heard')
  })
  answers.push(
    await done('snapshot'),
    await done('extract_text'),
    await done('find', { text: 'anna' }),
    await done('tab_list'),
    await done('evaluate', { expression: 'document.documentElement.outerHTML' }),
    await done('evaluate', {
      expression: '[...document.querySelectorAll("input")].map(i => i.value)',
    }),
    await done('evaluate', { expression: 'btoa(document.querySelector("[name=pass]").value)' }),
    await done('run_script', { script: 'return await page.title()' }).catch(String),
  )
  const told = JSON.stringify(answers)
  t.match(told, /<secret>echo\.password<\/secret>/)
  for (const value of values) {
    t.notOk(told.includes(value), value)
    t.notOk(told.includes(JSON.stringify(value).slice(1, -1)), value)
    t.notOk(told.includes(btoa(value)), value)
    t.notOk(told.includes(encodeURIComponent(value)), value)
  }
  const style = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).webkitTextSecurity`)
  t.equal(await style('[name=user]'), 'disc', 'the user name is dots')
  t.equal(await style('#twin'), 'disc', 'so is a field that repeats it')
  const darkness = async (selector: string) => {
    const { image } = (await done('screenshot', { target: selector })) as { image: string }
    return page.evaluate(`(async () => {
      const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${image}')).blob())
      const pen = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
      pen.drawImage(picture, 0, 0)
      const { data } = pen.getImageData(0, 0, picture.width, picture.height)
      let dark = 0
      for (let at = 0; at < data.length; at += 4) if (data[at] < 40) dark++
      return dark / (data.length / 4)
    })()`)
  }
  const dark = Number(await darkness('#echo'))
  t.ok(dark > 0.6, `what it repeats is black in pictures: ${dark}`)
  const { status: printed } = await run('pdf')
  t.equal(printed, 409, 'a PDF would have it as text')
  const listed = JSON.stringify((await rest('GET', `/v1/sessions/${id}/pages`)).body)
  t.match(listed, /Typed/)
  t.notOk(listed.includes('Kettle'), 'the pages of the session')
  await page.getByRole('button', { name: 'Log in' }).click()
  await until('the site has answered', async () => (await page.content()).includes('pre>'))
  const after = JSON.stringify([await done('snapshot'), await done('extract_text')])
  const later = JSON.stringify(await done('extract_text'))
  t.notOk(after.includes('Kettle'), 'a password that the site repeats on its next page')
  t.ok(later.includes(member.username), 'the user name is shown again after the page has navigated')
  const trace = await fetch(`${service.baseUrl}/v1/sessions/${id}/trace?format=jsonl`, {
    headers: { authorization: `Bearer ${service.key}` },
  })
  const traced = await trace.text()
  t.match(traced, /fill_login/)
  t.notOk(traced.includes('Kettle'), 'the trace')
})

t.test('neither the store nor any log has what was filled in', async (t) => {
  const insider = await openInsider(service.dataDir)
  t.teardown(() => insider.close())
  const { store } = insider
  for await (const { value } of store.bucket(buckets.siteLogins).scan()) {
    const text = Buffer.from(value).toString('latin1')
    t.notOk(
      text.includes('Kettle') || text.includes(member.totp) || text.includes('anna'),
      'sealed',
    )
  }
  const output = service.output()
  t.match(output, /\S/)
  t.notOk(/Kettle|anna\.lind/.test(output) || output.includes(member.totp), 'the logs')
})

t.test('forms of other origins, and those that nobody sees, are not filled in', async (t) => {
  await create({ name: 'strict', ...ours })
  t.teardown(() => rest('DELETE', '/v1/logins/strict'))
  const { run, page } = await session(t)
  const refusal = async (address: string, input: object = { login: 'strict' }) => {
    await page.goto(address)
    const before = site.sent.length
    const { status, body } = await run('fill_login', { timeout: 300, ...input })
    const filled = await page.evaluate(
      `[...document.querySelectorAll('input')].filter(({ value }) => value !== '').length`,
    )
    t.equal(filled, 0, `nothing is filled in: ${address}`)
    t.equal(site.sent.length, before)
    return `${status} ${body.error?.type}`
  }
  t.equal(await refusal(`${site.otherOrigin}/`), '403 origin_not_allowed')
  t.equal(await refusal(`${site.otherOrigin}/`, {}), '404 not_found')
  const framed = `${site.origin}/x?frame=${encodeURIComponent(`${site.otherOrigin}/`)}`
  t.equal(await refusal(framed), '403 origin_not_allowed', 'a frame of another origin')
  t.equal(await refusal(`${site.origin}/stray`), '403 origin_not_allowed', 'a form that sends away')
  t.equal(await refusal(`${site.origin}/clear`), '404 not_found', 'transparent')
  t.equal(await refusal(`${site.origin}/register`), '404 not_found', 'a registration')
  t.equal(await refusal(`${site.origin}/newsletter`), '404 not_found', 'a newsletter')
  t.match(await refusal(`${site.origin}/away`), /^4\d\d/, 'where nobody can scroll to')
  t.match(await refusal(`${site.origin}/covered`), /^4\d\d not_actionable/, 'covered')
  t.equal(await refusal(`${site.origin}/`, { login: 'none' }), '404 not_found')
})

t.test('forms of every kind are found', async (t) => {
  const fields = { company: 'Lind & Co' }
  await create({ name: 'kinds', ...ours, fields })
  t.teardown(() => rest('DELETE', '/v1/logins/kinds'))
  const { done, page } = await session(t)
  const fill = async (path: string, submit = true) => {
    await page.goto(site.origin + path)
    return done('fill_login', { submit })
  }
  t.match(await fill('/late'), { filled: ['username', 'password'], title: 'Code' })
  t.match(await fill('/shadow'), { filled: ['username', 'password'], title: 'Code' })
  t.match(await fill('/both'), { title: 'Code' }, 'not the registration beside it')
  t.match(await fill('/company'), { filled: ['username', 'password', 'company'] })
  t.match(site.sent.at(-1), { firm: 'Lind & Co' })
  t.match(await fill('/name'), { filled: ['username'] })
  t.match(await done('fill_login', { submit: true }), { filled: ['password'], title: 'Code' })
  const frame = `/x?frame=${encodeURIComponent(`${site.origin}/`)}`
  t.match(await fill(frame, false), { filled: ['username', 'password'] }, 'a frame of its origin')
  t.match(await fill('/boxes', false), { filled: ['code'] })
  await page.getByRole('button', { name: 'Go' }).click()
  await until('the site has answered', async () => (await page.title()) !== 'Shop')
  t.equal(await page.title(), 'In', 'a code in boxes')
})

t.test('of several logins for one origin, one has to be named', async (t) => {
  for (const name of ['one', 'two']) await create({ name, ...ours })
  t.teardown(() => Promise.all(['one', 'two'].map((name) => rest('DELETE', `/v1/logins/${name}`))))
  const { run, done, page } = await session(t)
  await page.goto(`${site.origin}/`)
  const { status, body } = await run('fill_login')
  t.match({ status, body }, { status: 409, body: { error: { logins: ['one', 'two'] } } })
  t.match(await done('fill_login', { login: 'two' }), { login: 'two' })
  t.match(await done('fill_login', { login: 'one' }), { login: 'one' })
})

t.test('another tenant’s login is answered like none, byte for byte', async (t) => {
  const name = 'private'
  const { rest: stranger } = await newKey(service, 'stranger')
  const made = await createSession(stranger)
  t.teardown(() => stranger('DELETE', `/v1/sessions/${made.id}`))
  const path = `/v1/sessions/${made.id}`
  await stranger('POST', `${path}/goto`, { url: `${site.origin}/` })
  const fill = `${path}/commands/fill_login`
  const asks = [
    ['GET', `/v1/logins/${name}`],
    ['PATCH', `/v1/logins/${name}`, { password: 'mine' }],
    ['DELETE', `/v1/logins/${name}`],
    ['GET', '/v1/logins'],
    ['POST', fill, { login: name, timeout: 0 }],
    ['POST', fill, { timeout: 0 }],
    ['POST', `${path}/actions`, { actions: [{ command: 'fill_login', login: name }] }],
    ['POST', '/v1/tools/perform-web-task', { prompt: 'log in', logins: [name] }],
  ] as const
  const answers = () =>
    Promise.all(
      asks.map(async ([method, to, body]) => {
        const { status, body: answer } = await stranger<LoginAnswer>(method, to, body)
        const text = JSON.stringify({ status, answer })
        return text.replace(/"request_id":"\w+"/, '').replace(/"ms":\d+/g, '')
      }),
    )
  const without = await answers()
  await create({ name, ...ours })
  t.teardown(() => rest('DELETE', `/v1/logins/${name}`))
  t.same(await answers(), without)
  t.match((await rest('GET', `/v1/logins/${name}`)).status, 200, 'and nothing became of it')
})
