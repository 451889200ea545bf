/**
 * Goal: a user's schema or result blocks nothing but itself. Method: schemas that never finish or
 * take all memory; the order of events shows that other work continues.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { OutputSchemas } from '../../../../runtime/lib/schemas/output-schemas.ts'
import { TenantQueue } from '../../../../runtime/lib/schemas/tenant-queue.ts'
import { libLimits } from '../../../../runtime/lib/limits.ts'

/** At each level every value is validated twice. */
const doubling = (word: 'allOf' | 'anyOf', last: object, levels = 60) => {
  const names = Array.from({ length: levels }, (_, i) => `d${i}`)
  const next = (i: number) => ({ $ref: `#/$defs/${names[i + 1] ?? 'last'}` })
  const defs = names.map((name, i) => [name, { [word]: [next(i), next(i)] }])
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(defs), last } }
}

/** Valid for everything, after 2^60 validations. */
const endless = doubling('allOf', {})
/** Each validation stores a fault. */
const hungry = doubling('anyOf', { required: ['x'] })
const backtracking = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
const backtracked = { a: `${'a'.repeat(60)}!` }
const plain = { properties: { a: { type: 'string' } } }

/** Longer than any test takes: work in progress stays so until the end. */
const forEver = { jobMs: 600_000 }

t.test('a service without schemas starts no thread for them', async (t) => {
  const schemas = new OutputSchemas()
  await t.rejects(schemas.check({ type: 'array' }, 'a'), /must describe an object/)
  const next = new Worker('', { eval: true })
  t.equal(next.threadId, 1, 'no thread was begun before')
  await once(next, 'exit')
  const { cache } = createRequire(import.meta.url)
  await schemas.check(plain, 'a')
  t.same(
    Object.keys(cache).filter((path) => path.includes('/ajv/')),
    [],
    'nor is it loaded here',
  )
  await schemas.close()
})

t.test('other turns and requests continue beside a schema that never ends', async (t) => {
  for (const begin of [
    (schemas: OutputSchemas) => schemas.check(endless, 'a'),
    async (schemas: OutputSchemas) => {
      await schemas.fit(backtracking, [backtracked], 'a')
    },
  ]) {
    const schemas = new OutputSchemas(forEver)
    await schemas.check(plain, 'a')
    const events: string[] = []
    const ended = begin(schemas).finally(() => events.push('it ended'))
    for (let turns = 0; turns < 1_000; turns++) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
    events.push('1000 turns and a timer')
    void schemas.close()
    await t.rejects(ended, /The service is shutting down/)
    t.same(events, ['1000 turns and a timer', 'it ended'])
  }
})

t.test('a check that takes too long is given up, and the next is answered', async (t) => {
  const schemas = new OutputSchemas()
  const tooLong = { type: 'bad_request', message: /cannot be used: it takes too much time/ }
  await t.rejects(schemas.check(endless, 'a'), tooLong)
  await schemas.check(backtracking, 'a')
  t.match(await schemas.fit(backtracking, [backtracked], 'a'), {
    fits: false,
    faults: [/too much time; give less/],
  })
  t.match(await schemas.fit(backtracking, [{ a: 'aaa' }], 'a'), { fits: true })
  await schemas.close()
})

t.test('a check that takes too much memory is given up, the next is answered', async (t) => {
  const schemas = new OutputSchemas({ ...forEver, heapBytes: 16 * 2 ** 20 })
  const tooMuch = { type: 'bad_request', message: /cannot be used: it takes too much memory/ }
  await t.rejects(schemas.check(hungry, 'a'), tooMuch)
  await schemas.check(plain, 'a')
  await schemas.close()
})

t.test('compiled schemas are forgotten', async (t) => {
  const schemas = new OutputSchemas({ ...forEver, heapBytes: 16 * 2 ** 20 })
  const large = (n: number) => ({ properties: { a: { description: `${n}${'x'.repeat(30_000)}` } } })
  for (let n = 0; n < 500; n++) await schemas.check(large(n), 'a')
  t.pass('together they would not fit into its memory')
  await schemas.close()
})

t.test('an asynchronous schema is treated like any other', async (t) => {
  const schemas = new OutputSchemas()
  const schema = { $async: true, ...plain, required: ['a'] }
  await schemas.check(schema, 'a')
  t.match(await schemas.fit(schema, [{}], 'a'), { fits: false, faults: [/required property/] })
  await schemas.close()
})

t.test('tenants take turns, however much one of them has queued', async (t) => {
  const line = new TenantQueue<string>({ jobs: 5, jobsPerTenant: 3 })
  t.same(
    ['a1', 'a2', 'a3', 'a4', 'b1', 'c1'].map((item) => line.add(item[0]!, item)),
    [true, true, true, false, true, true],
  )
  t.equal(line.add('d', 'd1'), false, 'five are all that may wait')
  const served = [line.next(), line.next(), line.next(), line.next(), line.next(), line.next()]
  t.same(served, ['a1', 'b1', 'c1', 'a2', 'a3', undefined])
  t.equal(line.add('a', 'a5'), true, 'a served one leaves its place')
})

t.test('one tenant’s endless schemas delay another’s by one of them', async (t) => {
  const schemas = new OutputSchemas()
  const events: string[] = []
  const told = (name: string, work: Promise<void>) =>
    work.then(
      () => events.push(`${name} is taken`),
      () => events.push(`${name} is refused`),
    )
  await Promise.all([
    told('a1', schemas.check(endless, 'a')),
    told('a2', schemas.check(endless, 'a')),
    told('b1', schemas.check(plain, 'b')),
  ])
  t.same(events, ['a1 is refused', 'b1 is taken', 'a2 is refused'])
  await schemas.close()
})

t.test('a tenant’s queue is limited, and others can still queue', async (t) => {
  const schemas = new OutputSchemas(forEver)
  const underWay = schemas.check(endless, 'a')
  const waiting = Array.from({ length: libLimits.schemaJobsPerTenant }, () => {
    return schemas.check(plain, 'a')
  })
  const full = { type: 'rate_limited', message: /try again/ }
  await t.rejects(schemas.check(plain, 'a'), full)
  const other = schemas.check(plain, 'b')
  const all = Promise.allSettled([underWay, ...waiting, other])
  await schemas.close()
  for (const { status } of await all) t.equal(status, 'rejected', 'it fails because we shut down')
})

t.test('an idle thread does not keep the process running', async (t) => {
  const module = new URL('../../../../runtime/lib/schemas/output-schemas.js', import.meta.url)
  const text = `
    import { OutputSchemas } from '${module}'
    await new OutputSchemas().check({}, 'a')
    console.log('checked')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const [code] = await once(child, 'close')
  t.same([code, said], [0, 'checked\n'])
})
