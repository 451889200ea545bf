// Goal: a service whose hosts share one key changes to another without a pause, host by host; no
// secret is sealed with a key that a host lacks; a host without the key is told what to copy.
// Method: hosts and the command line in their own processes, a real nats-server.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { openCredentials } from '../../../runtime/accounts/credentials/open.ts'
import { openSealer } from '../../../runtime/accounts/seal/seal.ts'
import { run, startNats } from '../../helpers/nats/nats.ts'
import { troupe } from '../../helpers/service/service.ts'
import { entriesOf } from '../../../runtime/store/entries-of.ts'
import { until } from '../../helpers/lib/until.ts'

const nats = await startNats(t)
const newKey = () => randomBytes(32).toString('base64')
const [first, second] = [newKey(), newKey()] as const
const idOf = (SEAL_KEY: string) => openSealer({ SEAL_KEY, DATA_DIR: nats.dir }).keyIds()[0]!

/** A host's environment: its own name and folder, and these keys. */
function hostEnv(t: Test, nodeId: string, ...keys: readonly string[]) {
  const dir = mkdtempSync(join(tmpdir(), 'troupe-keys-'))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return { ...nats.env, DATA_DIR: dir, NODE_ID: nodeId, SEAL_KEY: keys.join() }
}

async function startProgram(t: Test, file: string, env: Readonly<Record<string, string>>) {
  const program = fileURLToPath(new URL(file, import.meta.url))
  const child = run(process.execPath, [program], env)
  t.teardown(() => child.kill())
  let output = ''
  for (const stream of [child.process.stdout!, child.process.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  }
  await until('it is up', () => /"msg":"ready"|^started$/m.test(output))
  const stop = async () => {
    child.process.kill('SIGTERM')
    await child.exited
  }
  return { output: () => output, stop }
}

const startHost = (t: Test, nodeId: string, ...keys: readonly string[]) =>
  startProgram(t, '../runtime/host-process.js', hostEnv(t, nodeId, ...keys))

function command(t: Test, args: readonly string[], ...keys: readonly string[]) {
  return commandIn(hostEnv(t, 'here', ...keys), args)
}

function commandIn(host: Readonly<Record<string, string>>, args: readonly string[]) {
  const env = { PATH: process.env['PATH'] ?? '', ...host }
  // The keys are invented, so no provider is asked.
  const words = args[0] === 'set' ? [...args, '--no-check'] : args
  const child = spawn(process.execPath, [troupe, 'credentials', ...words], { env, stdio: 'pipe' })
  child.stdin.end('sk-the-key-of-everybody')
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const ended = Promise.all([exited, text(child.stdout)]).then(([code, stdout]) => {
    return { code, stdout, stderr }
  })
  return { stderr: () => stderr, ended }
}

async function tokenWith(SEAL_KEY: string): Promise<string> {
  const config = loadConfig({ SEAL_KEY })
  const store = await nats.store()
  const deps = { store, sealer: openSealer(config), clock: systemClock, config }
  return (await openCredentials(deps).accounts.find('acme', 'openai'))!.token()
}

t.test('hosts change from one key to another, one by one', async (t) => {
  t.match(await command(t, ['set', 'openai'], first).ended, { code: 0 })
  const before = await startHost(t, 'a', first)
  const between = await startHost(t, 'a', first, second)
  const resealing = command(t, ['reseal'], second, first)
  const waits = `waiting until actors of a can open with key ${idOf(second)}`
  await until('it waits for the host', () => resealing.stderr().includes(waits))
  t.equal(await tokenWith(first), 'sk-the-key-of-everybody', 'nothing was changed')

  await before.stop()
  t.match(await resealing.ended, {
    code: 1,
    stdout: new RegExp(
      `re-sealed openai of everybody\n1 re-sealed with key ${idOf(second)}.*\n` +
        `Old keys are still needed: actors of a still seals with ${idOf(first)}\\.`,
    ),
  })
  t.equal(await tokenWith(second), 'sk-the-key-of-everybody')
  await t.rejects(tokenWith(first), { name: 'AccessFailure', message: new RegExp(idOf(second)) })

  const after = await startHost(t, 'a', second, first)
  await between.stop()
  t.match(await command(t, ['reseal'], second, first).ended, {
    code: 0,
    stdout: new RegExp(`0 re-sealed.*1 already were.*\nNo longer needed: ${idOf(first)}\\.`),
  })
  await after.stop()
  t.match(await command(t, ['reseal'], second).ended, { code: 0, stdout: /No other key is needed/ })
})

t.test('accounts sealed with a key that no host has are named and left alone', async (t) => {
  const lost = newKey()
  await command(t, ['set', 'groq', '--tenant', 'acme'], lost).ended
  const { code, stdout, stderr } = await command(t, ['reseal'], second).ended
  t.equal(code, 1)
  t.match(stderr, new RegExp(`groq of tenant acme: .*sealed with key ${idOf(lost)}.*set it again`))
  t.match(stdout, /1 not yet\.\nOld keys are still needed: groq of tenant acme\./)
  await command(t, ['remove', 'groq', '--tenant', 'acme'], second).ended
})

t.test('a new key is made only where no other host runs, and only in a file', async (t) => {
  const inSetting = await command(t, ['reseal', '--new-key'], second).ended
  t.match(inSetting, { code: 1, stderr: /put a new one in front, comma-separated/ })
  const keyless = await command(t, ['reseal', '--new-key']).ended
  t.match(keyless, { code: 1, stderr: /has no key\. .*copy it from another/ })
  const hosts = [await startHost(t, 'a', second), await startHost(t, 'b', second)]
  const env = hostEnv(t, 'here')
  writeFileSync(join(env.DATA_DIR, 'seal.key'), second, { mode: 0o600 })
  const among = await commandIn(env, ['reseal', '--new-key']).ended
  t.match(among, { code: 1, stderr: /must have a new key before it is used \(actors of a, act/ })
  t.equal(readFileSync(join(env.DATA_DIR, 'seal.key'), 'utf8'), second)
  await Promise.all(hosts.map((host) => host.stop()))
})

t.test('a host that joins without the key is told which to copy, and makes none', async (t) => {
  const host = await startHost(t, 'a', second)
  const joins = await startHost(t, 'b')
  const advice = `key ${idOf(second)}, which this host does not have: copy seal.key from DATA_DIR of a`
  t.match(joins.output(), advice)
  t.notMatch(host.output(), 'which this host does not have')
  await joins.stop()
  const env = hostEnv(t, 'c')
  await startProgram(t, '../../helpers/runtime/tiny-service.js', env)
  t.notOk(existsSync(join(env.DATA_DIR, 'seal.key')), 'as npm run troupe -- up does')
})

t.test('the record of a host lists its keys by name only', async (t) => {
  await startHost(t, 'a', second)
  const hosts = await entriesOf((await nats.store()).bucket('hosts'))
  const kept = hosts.map(({ value }) => Buffer.from(value).toString('latin1')).join('\n')
  t.match(kept, idOf(second))
  for (const key of [first, second]) {
    t.notOk(kept.includes(key))
    t.notOk(kept.includes(Buffer.from(key, 'base64').toString('latin1')))
  }
})
