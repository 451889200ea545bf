// Goal: the public addresses of this machine count as private, also after they have changed.
import ipaddr from 'ipaddr.js'
import type { NetworkInterfaceInfo } from 'node:os'
import t from 'tap'
import { loadConfig } from '../../../../runtime/config/config.ts'
import { libLimits } from '../../../../runtime/lib/limits.ts'
import { anyAddress, isOpenAt } from '../../../../runtime/lib/network/guard/allowance.ts'
import { leadsToPrivateNetwork } from '../../../../runtime/lib/network/guard/internal-url.ts'
import { isPrivateAddress } from '../../../../runtime/lib/network/hosts.ts'
import { OwnAddresses, ownAddresses } from '../../../../runtime/lib/network/own-addresses.ts'

function machine(...first: readonly string[]) {
  let addresses = first
  let nowMs = 0
  let reads = 0
  const interfaces = () => {
    reads++
    if (addresses.length === 0) throw new Error('EMFILE')
    return { eth0: addresses.map((address) => ({ address }) as NetworkInterfaceInfo) }
  }
  const own = new OwnAddresses({ clock: { monotonic: () => nowMs }, interfaces })
  return {
    own,
    has: (address: string) => own.has(ipaddr.process(address)),
    reads: () => reads,
    become: (...now: readonly string[]) => void (addresses = now),
    later: () => void (nowMs += libLimits.ownAddressesMs),
  }
}

t.test('they are those of the interfaces, in every spelling', async (t) => {
  const { has } = machine('93.184.216.34', '2606:4700::1:0')
  for (const own of ['93.184.216.34', '::ffff:93.184.216.34', '2606:4700:0:0::1:0']) {
    t.ok(has(own), own)
  }
  for (const other of ['93.184.216.35', '2606:4700::1']) t.notOk(has(other), other)
})

t.test('they are read again, but not for each connection', async (t) => {
  const { has, become, later, reads } = machine('93.184.216.34')
  t.ok(has('93.184.216.34'))
  become('93.184.216.40')
  t.notOk(has('93.184.216.40'))
  t.equal(reads(), 1)
  later()
  t.ok(has('93.184.216.40'))
  t.notOk(has('93.184.216.34'))
  become()
  later()
  t.ok(has('93.184.216.40'), 'if they cannot be read, the last ones hold')
})

t.test('addresses in front of the machine are a setting', async (t) => {
  const { own, has } = machine('10.0.0.1')
  const { OWN_ADDRESSES } = loadConfig({ OWN_ADDRESSES: '93.184.216.34, 2606:4700:1::/48' })
  own.setInFront(OWN_ADDRESSES)
  t.ok(has('93.184.216.34'))
  t.ok(has('2606:4700:1:2::3'))
  t.notOk(has('93.184.216.35'))
  t.notOk(has('2606:4700:2::3'))
  for (const wrong of ['here', '127', '10.0.0.1:80', '10.0.0.0/99']) {
    t.throws(() => loadConfig({ OWN_ADDRESSES: wrong }), { name: 'ConfigError' }, wrong)
  }
})

t.test('the guard asks for them', async (t) => {
  const url = new URL('http://93.184.216.34:8080/')
  const allowance = { ...anyAddress, closedPorts: [8080] }
  t.equal(isPrivateAddress(url.hostname), false)
  t.ok(isOpenAt(url.hostname, 8080, allowance))
  ownAddresses.setInFront([url.hostname])
  t.teardown(() => ownAddresses.setInFront([]))
  t.equal(isPrivateAddress(url.hostname), true)
  t.ok(leadsToPrivateNetwork(url))
  t.notOk(isOpenAt(url.hostname, 8080, allowance), 'the service’s own ports are closed there')
  t.ok(isOpenAt(url.hostname, 80, allowance))
})
