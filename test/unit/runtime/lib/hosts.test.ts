// Goal: addresses outside of the public internet are recognized in every spelling.
import t from 'tap'
import { isPrivateAddress, isPrivateHost } from '../../../../runtime/lib/network/hosts.ts'

const privateAddresses = [
  ...['127.0.0.1', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '169.254.169.254'],
  ...['100.64.0.1', '0.0.0.0', '255.255.255.255', '224.0.0.1', '192.0.2.1', '198.18.0.1'],
  ...['::1', '::', 'fe80::1', 'fc00::1', 'fd12:3456::1', 'ff02::1', '::ffff:127.0.0.1'],
  ...['::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:7f00:1::', '2001:db8::1', '2001::1'],
]
const publicAddresses = ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8']

t.test('private addresses are told apart from public ones', async (t) => {
  for (const address of privateAddresses) t.equal(isPrivateAddress(address), true, address)
  for (const address of publicAddresses) t.equal(isPrivateAddress(address), false, address)
  t.equal(isPrivateAddress('example.com'), undefined, 'a name is no address')
})

t.test('hosts of URLs, as the URL parser writes them', async (t) => {
  const hostOf = (url: string) => new URL(url).hostname
  for (const url of [
    ...['http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://127.1/'],
    ...['http://[::1]/', 'http://[::ffff:7f00:1]/', 'http://localhost/', 'http://LOCALHOST./'],
    ...['http://a.localhost/', 'http://printer/', 'http://nas.local/', 'http://x.internal/'],
    ...['http://router.home.arpa/', 'http://①②⑦.0.0.1/', 'http://metadata.google.internal/'],
  ]) {
    t.ok(isPrivateHost(hostOf(url)), url)
  }
  for (const url of ['http://example.com/', 'http://8.8.8.8/', 'http://[2606:4700::1111]/']) {
    t.notOk(isPrivateHost(hostOf(url)), url)
  }
})
