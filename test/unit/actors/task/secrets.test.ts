// Goal: every form of a secret that a page or a URL commonly shows is masked, and no secret is
// typed where it does not belong. Method: pure functions, with values of every awkward kind.
import t from 'tap'
import fc from 'fast-check'
import { initialContext, type TaskContext } from '../../../../actors/task/state/context.ts'
import type { TaskEffectDeps } from '../../../../actors/task/effects/deps.ts'
import { taskEffects } from '../../../../actors/task/effects.ts'
import { secretFormsOf } from '../../../../runtime/lib/secrets/secret-forms.ts'
import { commandLimits } from '../../../../proto/commands/limits.ts'
import { SecretMasks } from '../../../../runtime/lib/secrets/secret-masks.ts'
import { TaskSecrets } from '../../../../actors/task/effects/task-secrets.ts'
import { openSealer } from '../../../../runtime/accounts/seal/seal.ts'
import { act, order, turn } from '../../../helpers/tasks/story.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { taskRunLimits } from '../../../../actors/task/limits.ts'
import { taskLimits } from '../../../../proto/task/task-limits.ts'

const refused = { type: 'forbidden', message: /\./ }
const { typedChars: most } = commandLimits
const password = 'pa"ss wörd/+&<42>'
const secrets = new SecretMasks({ password, user: 'ada@example.com', pin: '1234' })

t.test('the time for many secrets grows linearly, not as the square', async (t) => {
  const word = (i: number) => Buffer.from(`word ${i * 7919}`).toString('base64')
  const values = Array.from(
    { length: taskLimits.secretsPerTask },
    (_, i) => [`n${i}`, word(i)] as const,
  )
  const page = 'Lovely place: e14 textbox "Your name", and more text …\n'.repeat(100)
  const cpuOf = (work: () => void) => {
    const before = process.cpuUsage()
    work()
    return process.cpuUsage(before).user
  }
  const alone = values.map(([name, value]) => new SecretMasks({ [name]: value }))
  const together = new SecretMasks(Object.fromEntries(values))
  // Patterns are compiled at their first use.
  for (const each of [...alone, together]) each.mask(page)
  const singly = cpuOf(() => alone.forEach((each) => void each.mask(page)))
  const atOnce = cpuOf(() => void together.mask(page))
  t.comment(`${atOnce} µs for all together, ${singly} µs one by one`)
  t.ok(atOnce < 20 * singly + 100_000)
})

t.test('a value is masked in all its forms', async (t) => {
  const b64 = (text: string) => Buffer.from(text).toString('base64')
  const forms = [
    password,
    password.toUpperCase(),
    password.normalize('NFD'),
    password.replaceAll('"', "'"),
    JSON.stringify({ password }),
    JSON.stringify(JSON.stringify({ password })),
    encodeURIComponent(password),
    encodeURIComponent(encodeURIComponent(password)),
    encodeURI(password),
    new URLSearchParams({ password }).toString(),
    encodeURIComponent(password).toLowerCase(),
    b64(password),
    b64(`ada:${password}`),
    b64(`x${password}yz`),
    b64(`xy${password}`),
    Buffer.from(`ada:${password}`).toString('base64url'),
    encodeURIComponent(b64(password)),
    Buffer.from(password).toString('hex'),
    password.replace(/ /g, ' \n '),
    password.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ]
  for (const form of forms) {
    const masked = secrets.mask(`before ${form} after`)
    t.match(masked, '<secret>password</secret>', form)
    t.notMatch(masked, /w(ö|%C3%B6)rd/i, form)
  }
  t.equal(secrets.mask('mail ADA@example.com now'), 'mail <secret>user</secret> now')
})

t.test('base64 of any text around a value is masked too', async (t) => {
  const around = fc.tuple(fc.string(), fc.string({ minLength: 8 }), fc.string())
  fc.assert(
    fc.property(around, ([before, value, after]) => {
      const [bytes] = [Buffer.from(before + value + after)]
      if (bytes.toString() !== before + value + after || value.trim().length < 8) return
      const one = new SecretMasks({ value: value.trim() })
      const text = Buffer.from(before + value.trim() + after).toString('base64')
      t.ok(one.isIn(text), JSON.stringify([before, value, after]))
    }),
    { numRuns: 200 },
  )
})

t.test('placeholders are kept, and masking twice equals masking once', async (t) => {
  const odd = new SecretMasks({ password: 'password', secret: 'secret', a: 'secret>' })
  const text = 'type <secret>password</secret> into the PASSWORD field'
  t.equal(odd.mask(text), 'type <secret>password</secret> into the <secret>password</secret> field')
  t.equal(odd.mask(odd.mask(text)), odd.mask(text))
  t.notOk(odd.isIn('<secret>password</secret>'))
})

t.test('a longer value is masked whole where a shorter one begins it', async (t) => {
  const two = new SecretMasks({ short: 'hunter2', long: 'hunter2-and-more' })
  t.equal(two.mask('hunter2-and-more hunter2'), '<secret>long</secret> <secret>short</secret>')
})

t.test('short values are masked as whole words only, not in refs or prices', async (t) => {
  t.equal(secrets.mask('PIN: 1234.'), 'PIN: <secret>pin</secret>.')
  t.equal(secrets.mask('e1234 button "51234"'), 'e1234 button "51234"')
})

t.test('numbers are found with the spaces that a page puts into them', async (t) => {
  const card = new SecretMasks({ card: '4111111111111111' })
  t.equal(card.mask('ends: 4111 1111 1111 1111!'), 'ends: <secret>card</secret>!')
  t.equal(card.mask('4111-1111-1111-1111'), '<secret>card</secret>')
})

t.test('nothing is left of a long value that a page cuts short', async (t) => {
  const token = `tok_${'abcdefghij'.repeat(40)}`
  const one = new SecretMasks({ token })
  t.equal(
    one.mask(`e1 textbox "Token": ${token.slice(0, 160)}…`),
    'e1 textbox "Token": <secret>token</secret>',
  )
})

t.test('a page that writes marks like ours around a value does not hide it', async (t) => {
  const one = new SecretMasks({ password: 'hunter2pass' })
  t.notMatch(one.mask('You typed <secret>hunter2pass</secret>.'), 'hunter2pass')
  t.ok(one.isIn('<secret>hunter2pass</secret>'))
  t.equal(one.mask('<secret>password</secret>'), '<secret>password</secret>')
})

t.test('of a value cut anywhere, at either end, less than half is left', async (t) => {
  for (const value of ['hunter2', 'correct horse battery', 'tok_AbCdEf012345.xyz/+=', password]) {
    const one = new SecretMasks({ value })
    const half = Math.ceil(value.length / 2)
    for (let at = half; at < value.length; at++) {
      const begun = one.mask(`e1 textbox "Key": ${value.slice(0, at)}…`)
      const ended = one.mask(`…${value.slice(-at)} was found`)
      t.notMatch(begun, value.slice(0, half), begun)
      t.notMatch(ended, value.slice(-half), ended)
    }
    t.equal(one.mask('Read more… and …so on'), 'Read more… and …so on')
  }
})

t.test('short pieces of a number are not masked, as that would confirm guesses', async (t) => {
  const one = new SecretMasks({ card: '4111111111111111', code: '123456' })
  const guesses = Array.from({ length: 10_000 }, (_, n) => `${String(n).padStart(4, '0')}…`)
  t.equal(one.mask(guesses.join(' ')), guesses.join(' '))
  t.equal(one.mask('4111111111…'), '<secret>card</secret>')
})

t.test('a value broken over lines is still one', async (t) => {
  const one = new SecretMasks({ value: 'hunter2pass' })
  t.equal(one.mask('hunt\ner2 pass'), '<secret>value</secret>')
})

t.test('a short value is typed as a word of its own, so that it can be masked', async (t) => {
  for (const text of [
    'x<secret>pin</secret>',
    '<secret>pin</secret>0',
    '<secret>pin</secret><secret>pin</secret>',
  ]) {
    t.throws(() => secrets.substitute(text, most), refused, text)
  }
  t.equal(secrets.substitute('<secret>pin</secret>#', most), '1234#')
  t.equal(secrets.substitute('x<secret>user</secret>x', most), 'xada@example.comx')
})

t.test('records are masked at every depth, keys and numbers too', async (t) => {
  const card = new SecretMasks({ password, card: '4111111111111111', pin: '42' })
  const number = 4111111111111111
  const record = { [`k ${password}`]: [{ text: password, number, more: 42, at: null, ok: true }] }
  t.same(card.maskAll(record), {
    'k <secret>password</secret>': [
      {
        text: '<secret>password</secret>',
        number: '<secret>card</secret>',
        more: 42,
        at: null,
        ok: true,
      },
    ],
  })
})

t.test('placeholders become values, unknown and partial ones are refused', async (t) => {
  t.equal(
    secrets.substitute('<secret>user</secret> <secret>pin</secret>', most),
    'ada@example.com 1234',
  )
  const dollars = new SecretMasks({ odd: '$& $1 $$' })
  t.equal(dollars.substitute('<secret>odd</secret>', most), '$& $1 $$')
  for (const text of ['<secret>nobody</secret>', '<secret>user', '< secret >user</secret>']) {
    t.throws(() => secrets.substitute(text, most), refused, text)
  }
  const long = new SecretMasks({ long: 'x'.repeat(taskLimits.secretChars) })
  t.throws(() => long.substitute('<secret>long</secret>'.repeat(3), most), refused)
})

t.test('a page of usual size is masked in milliseconds', async (t) => {
  const many = new SecretMasks(
    Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`s${i}`, `secret value no ${i}!`])),
  )
  const text = 'e12 button "Some name of a thing" and a text beside it\n'.repeat(4_000)
  many.mask(text)
  const fromMs = performance.now()
  many.mask(text)
  const ms = performance.now() - fromMs
  t.comment(`${text.length} characters, 20 secrets: ${ms.toFixed(1)} ms`)
  t.ok(ms < 1_000)
})

t.test('values of any characters give valid patterns', async (t) => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'binary' }), (value) => {
      const { anyCase, exact } = secretFormsOf(value)
      for (const form of [...anyCase, ...exact]) new RegExp(form, 'gu')
      if (value.trim() !== '')
        t.ok(new SecretMasks({ value }).isIn(` ${value} `), JSON.stringify(value))
    }),
  )
})

/** The secrets of tasks on one host, and how often they were unsealed there. */
function openTasks() {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'host')
  const SEAL_KEY = Buffer.alloc(32, 1).toString('base64')
  const sealer = openSealer({ SEAL_KEY, DATA_DIR: '/nowhere' })
  const counted = { opened: 0 }
  const open: typeof sealer.open = (...given) => {
    counted.opened++
    return sealer.open(...given)
  }
  const sealed = (id: string) => sealer.seal(JSON.stringify({ password }), ['task', id])
  const task = (id: string) => ({ id, order: { sealedSecrets: sealed(id) } })
  // The effects used here need no other dependency.
  const deps = { sealer: { open }, clock } as unknown as TaskEffectDeps
  return { secrets: new TaskSecrets({ open }, clock), deps, timeline, counted, task }
}

t.test('a task’s secrets are unsealed once for all its effects, until it leaves', async (t) => {
  const { secrets, counted, task } = openTasks()
  const [one, two] = [task('tsk_1'), task('tsk_2')]
  const opened = secrets.of(one)
  t.equal(opened.mask(password), '<secret>password</secret>')
  t.equal(secrets.of({ ...one }), opened)
  t.not(secrets.of(two), opened)
  t.equal(counted.opened, 2)
  t.throws(() => secrets.of({ ...two, order: one.order }), {
    message: /copied from another record/,
  })
  counted.opened = 0
  secrets.forget(one)
  t.same(secrets.of(one).names, ['password'])
  t.equal(secrets.of(two).names[0], 'password')
  t.equal(counted.opened, 1, 'of another task they are held still')
  t.same(secrets.of({ id: 'tsk_3', order: {} }).names, [])
})

t.test('the effects of a task share its secrets, and forget them when it leaves', async (t) => {
  const { deps, counted, task } = openTasks()
  const { order: mine } = task('tsk_1')
  const input = { id: 'tsk_1', tenant: 'acme', keyId: 'k', keyName: 'ci', createdAtMs: 0 }
  const looks = { acts: [act({ tool: 'screenshot', command: 'screenshot' })] }
  const state = {
    ...initialContext({ ...input, order: { ...order, ...mine } }),
    turn,
    isSessionGone: true,
    step: { decision: looks, actions: [] },
  } as unknown as TaskContext
  const { signal } = new AbortController()
  const effect = { effectId: 'tsk_1:1:0', attempt: 1, epoch: 1, actorId: 'tsk_1', state, signal }
  const effects = taskEffects(deps)
  const nothing = {} as never
  await effects.act(nothing, effect)
  await effects.act(nothing, effect)
  t.equal(counted.opened, 1)
  await effects.leave(nothing, effect)
  await effects.act(nothing, effect)
  t.equal(counted.opened, 2)
})

t.test('unused secrets are dropped, those in use are kept', async (t) => {
  const { secrets, counted, task, timeline } = openTasks()
  const one = task('tsk_1')
  for (let i = 0; i < 3; i++) {
    secrets.of(one)
    await timeline.run(taskRunLimits.secretsHeldMs - 1)
  }
  t.equal(counted.opened, 1)
  await timeline.run(2)
  secrets.of(one)
  t.equal(counted.opened, 2)
})

t.test('a host holds the secrets of a limited number of tasks', async (t) => {
  const { secrets, counted, task } = openTasks()
  const first = task('tsk_first')
  secrets.of(first)
  const each = first.order.sealedSecrets.length
  const others = Math.ceil(taskRunLimits.secretsHeldChars / each)
  for (let i = 0; i < others; i++) secrets.of(task(`tsk_${i}`))
  counted.opened = 0
  secrets.of(first)
  t.equal(counted.opened, 1)
})
