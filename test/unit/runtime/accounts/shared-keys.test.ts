// Goal: a host that does not share its key with the others is told what to copy, and from where.
import t from 'tap'
import type { HostRecord } from '../../../../proto/host.ts'
import { newIncarnation, type Role } from '../../../../proto/ids.ts'
import {
  secretHostsOf,
  keyProblems,
  hostsLackingKey,
  hostNames,
} from '../../../../runtime/accounts/seal/shared-keys.ts'

function host(nodeId: string, role: Role, sealKeys?: readonly string[]): HostRecord {
  const incarnation = newIncarnation(nodeId, role)
  const record = { incarnation, nodeId, role, leaseMs: 1, machine: 'm', version: '0' }
  return { ...record, state: 'alive', ...(sealKeys && { sealKeys }) }
}

const config = { SEAL_KEY: 'set', DATA_DIR: '/nowhere', NODE_ID: 'here' }

t.test('hosts that have each other’s sealing keys get no warning', async (t) => {
  for (const [ours, theirs] of [
    [['new'], ['new']],
    [
      ['old', 'new'],
      ['new', 'old'],
    ],
    [
      ['new', 'old'],
      ['old', 'new'],
    ],
  ] as const) {
    t.same(keyProblems(config, ours, [host('there', 'gateway', theirs)]), [])
  }
  t.same(keyProblems(config, ['new'], []), [])
  t.same(keyProblems(config, ['new'], [host('here', 'actors', ['old'])]), [], 'itself, before')
})

t.test('a missing key is to be copied from the named host', async (t) => {
  for (const ours of [[], ['other']]) {
    const [text] = keyProblems(config, ours, [host('there', 'gateway', ['theirs'])])
    t.match(text, /key theirs, which this host does not have: copy seal\.key .* of there.*SEAL_KEY/)
  }
})

t.test('a key must not seal before all hosts have it', async (t) => {
  const [text] = keyProblems(config, ['new', 'old'], [host('there', 'actors', ['old'])])
  t.match(text, /seals secrets with key new, which there does not have: .* behind the key/)
})

t.test('hosts without secrets, and dead ones, need no key', async (t) => {
  const gone: HostRecord = { ...host('gone', 'gateway', ['old']), state: 'dead' }
  const hosts = [host('b', 'node-agent'), gone, host('a', 'gateway', ['new']), host('a', 'actors')]
  t.equal(hostNames(hostsLackingKey('new', secretHostsOf(hosts))), 'actors of a')
})
