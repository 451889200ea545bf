/**
 * Moves all secrets from one key to another: waits until every host has the new key, reseals, and
 * reports what still needs an old one.
 */
import type { HostRecord } from '../../../proto/host.ts'
import { limits } from '../../../proto/limits.ts'
import { buckets } from '../../../proto/subjects.ts'
import { systemClock } from '../../lib/clock.ts'
import { pollUntil } from '../../lib/poll-until.ts'
import {
  resealAccounts,
  stillUnderOld,
  type ResealDeps,
  type PendingOldKeys,
} from '../../accounts/credentials/reseal.ts'
import { loadConfig } from '../../config/config.ts'
import { openCredentials } from '../../accounts/credentials/open.ts'
import { resealCodes } from '../../access/people/reseal.ts'
import { machineId } from '../../process/machine-id.ts'
import { keyFileOf, renewSealKey, type KeySettings } from '../../accounts/seal/seal-keys.ts'
import type { ResealedActor } from '../../accounts/seal/reseal-actors.ts'
import { noKey, openSealer, type Sealer } from '../../accounts/seal/seal.ts'
import { readSecretHosts, hostsLackingKey, hostNames } from '../../accounts/seal/shared-keys.ts'
import { ExtensionRecords } from '../../extensions/extension-records.ts'
import { ProfileRecords } from '../../profiles/profile-records.ts'
import { resealRecords } from '../../accounts/seal/reseal-records.ts'
import { SiteLogins } from '../../site-logins/site-logins.ts'
import type { Store } from '../../store/store.ts'
import { resealServiceSecret } from '../../accounts/keys/service-secret.ts'
import { resealEndpoints } from '../../webhooks/reseal.ts'
import { CommandFailed, type CliCommand } from '../command.ts'
import { credentialSettings, ownerText } from './with-credentials.ts'
import { withDirectory } from '../with-store.ts'
import { cliLimits } from '../limits.ts'

export const resealCommand: CliCommand = {
  usage: 'credentials reseal [--new-key]',
  about:
    'Reseal accounts, webhook secrets, authenticators, profiles and logins with the first SEAL_KEY, so that old keys can be removed.',
  more: [
    '',
    'Exits with 0 once no old key is needed, and with 1 before: then run it again. Secrets of web tasks',
    'and sign-ins to accounts in progress cannot be resealed. They are counted, and need their key until',
    'they end, as does an account whose key this host does not have. With several hosts, all',
    'of them get the new key first: see runtime/README.md, "Changing the key".',
  ].join('\n'),
  options: {
    'new-key': { help: 'Create a key first, in DATA_DIR/seal.key; for a service on one host.' },
  },
  settings: credentialSettings,
  examples: ['troupe credentials reseal --new-key', 'troupe credentials reseal'],
  run({ switches }) {
    const config = loadConfig()
    const sealer = openSealer(config)
    return withDirectory(async (directory, store) => {
      const clock = systemClock
      const { records } = openCredentials({ store, sealer, clock, config })
      if (switches.has('new-key')) await makeKey(store, sealer, config)
      const [current, ...old] = sealer.keyIds()
      if (current === undefined) throw noKey()
      await sharedByAll(store, current)
      const deps = { store, sealer, clock, records }
      const kept = { store, sealer, directory }
      const left = [
        ...(await resealAll(deps, current)),
        ...(await resealKept('the secrets of', 'webhook', resealEndpoints(kept))),
        ...(await resealKept('the authenticators of', 'person', resealCodes(kept))),
        ...(await resealKept('the keys of', 'profile', profilesOf(deps))),
        ...(await resealKept('the values of', 'login', loginsOf(deps))),
        ...(await resealKept('the keys of', 'extension', extensionsOf(deps))),
      ]
      const secret = await resealServiceSecret({ keys: store.bucket(buckets.keys), sealer })
      if (secret === 'resealed') console.log('re-sealed the secret of the service')
      const still = await stillUnderOld(deps)
      const behind = (await readSecretHosts(store)).filter((host) => host.sealKeys?.[0] !== current)
      const needs = [...left, ...underWay(still), ...behind.map(oldKeyProblem)]
      if (needs.length > 0) {
        console.log(`Old keys are still needed: ${needs.join('; ')}.`)
        return 1
      }
      if (old.length === 0) console.log('No other key is needed.')
      else console.log(`No longer needed: ${old.join(', ')}. Remove them from ${keyPlace(config)}.`)
      return 0
    })
  },
}

type Stored = Pick<ResealDeps, 'store' | 'sealer' | 'clock'>

function profilesOf({ store, sealer, clock }: Stored): AsyncIterable<ResealedActor> {
  const bucket = store.bucket(buckets.profiles)
  return resealRecords(bucket, new ProfileRecords({ bucket, sealer, clock }))
}

function loginsOf({ store, sealer, clock }: Stored): AsyncIterable<ResealedActor> {
  const bucket = store.bucket(buckets.siteLogins)
  return resealRecords(bucket, new SiteLogins({ bucket, sealer, clock }))
}

function extensionsOf({ store, sealer, clock }: Stored): AsyncIterable<ResealedActor> {
  const bucket = store.bucket(buckets.extensions)
  return resealRecords(bucket, new ExtensionRecords({ bucket, sealer, clock }))
}

async function makeKey(
  store: Store,
  sealer: Sealer,
  { SEAL_KEY, DATA_DIR }: KeySettings,
): Promise<void> {
  if (SEAL_KEY !== '') {
    throw new CommandFailed(
      'the keys are in SEAL_KEY: put a new one in front, comma-separated, wherever it is set; ' +
        'start the service with it, and run this without --new-key',
    )
  }
  if (sealer.keyIds().length === 0) throw noKey()
  const secretHosts = await readSecretHosts(store)
  const nodes = new Set(secretHosts.map(({ nodeId }) => nodeId))
  const here = machineId()
  if (nodes.size > 1 || secretHosts.some(({ machine }) => machine !== here)) {
    throw new CommandFailed(
      `every host must have a new key before it is used (${hostNames(secretHosts)}): ` +
        'runtime/README.md, "Changing the key"',
    )
  }
  console.log(`created key ${renewSealKey(DATA_DIR)}, now the first in ${keyFileOf(DATA_DIR)}`)
}

/**
 * Nothing may be sealed with a key that some host cannot open. Hosts read key files when they
 * renew.
 */
async function sharedByAll(store: Store, key: string): Promise<void> {
  const hostsWithoutIt = async () => hostsLackingKey(key, await readSecretHosts(store))
  const first = await hostsWithoutIt()
  if (first.length === 0) return
  console.error(`waiting until ${hostNames(first)} can open with key ${key} …`)
  const times = { everyMs: limits.oauthPollMaxMs, withinMs: cliLimits.keySharedMs }
  const poor = await pollUntil(systemClock, times, hostsWithoutIt, ({ length }) => length === 0)
  if (poor.length === 0) return
  throw new CommandFailed(
    `${hostNames(poor)} cannot open with key ${key}, so nothing was changed: give it the same ` +
      'SEAL_KEY or seal.key first',
  )
}

/** Returns descriptions of what failed. */
async function resealAll(deps: ResealDeps, current: string): Promise<readonly string[]> {
  const left: string[] = []
  const count = { resealed: 0, current: 0 }
  for await (const { provider, owner, outcome, why } of resealAccounts(deps)) {
    const name = `${provider} of ${ownerText(owner)}`
    if (outcome === 'resealed') console.log(`re-sealed ${name}`)
    if (outcome === 'resealed' || outcome === 'current') count[outcome]++
    if (outcome === 'shut') console.error(`${name}: ${why}`)
    if (outcome === 'shut' || outcome === 'busy') left.push(name)
  }
  const done = `${count.resealed} re-sealed with key ${current}`
  console.log(`${done}, ${count.current} already were, ${left.length} not yet.`)
  return left
}

const plurals = {
  webhook: 'webhooks',
  person: 'people',
  profile: 'profiles',
  login: 'logins',
  extension: 'extensions',
} as const

/** Reseals what is stored of one kind; returns descriptions of what failed. */
async function resealKept(
  what: string,
  noun: keyof typeof plurals,
  actors: AsyncIterable<ResealedActor>,
): Promise<readonly string[]> {
  const left: string[] = []
  let resealed = 0
  for await (const { id, tenant, outcome, why } of actors) {
    if (outcome === 'resealed') resealed++
    if (outcome !== 'left') continue
    const name = `${noun} ${id} of ${tenant}`
    console.error(`${name}: ${why}`)
    left.push(name)
  }
  const plural = plurals[noun]
  if (resealed > 0) console.log(`re-sealed ${what} ${resealed} ${resealed === 1 ? noun : plural}`)
  return left
}

function underWay({ logins, tasks, keyIds }: PendingOldKeys): readonly string[] {
  const parts = [
    ...(tasks > 0 ? [`${tasks} ${tasks === 1 ? 'task' : 'tasks'} in progress`] : []),
    ...(logins > 0 ? [`${logins} ${logins === 1 ? 'sign-in' : 'sign-ins'} in progress`] : []),
  ]
  return parts.map((part) => `${part} (key ${keyIds.join(', ')})`)
}

function oldKeyProblem({ role, nodeId, sealKeys = [] }: HostRecord): string {
  return `${role} of ${nodeId} still seals with ${sealKeys[0] ?? 'none'}`
}

function keyPlace({ SEAL_KEY, DATA_DIR }: KeySettings): string {
  return SEAL_KEY === '' ? keyFileOf(DATA_DIR) : 'SEAL_KEY'
}
