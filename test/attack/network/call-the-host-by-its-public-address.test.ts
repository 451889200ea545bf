/**
 * A tenant wants what listens on the host for the host alone: the service's own ports, others that
 * only a firewall outside closes. They use its public address, which seen from the host is open.
 * Method: a network with nothing but such an address, and everything that connects for a tenant.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'

const host = '93.184.216.34'
const ownNetwork = ['--user', '--map-root-user', '--net', 'sh', '-ec']
const addAddress = `ip link set lo up; ip address add ${host}/32 dev lo`
const program = join(packageRoot, 'dist/test/helpers/network/public-host.js')

function canRun(): boolean {
  try {
    execFileSync('unshare', [...ownNetwork, addAddress], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const skip = !canRun() && 'this machine lets nobody make networks'

t.test('by a page, a tunnel, a webhook, a server of models', { skip }, async (t) => {
  const script = `${addAddress}; exec "$@"`
  const command = [process.execPath, program, host]
  const printed = execFileSync('unshare', [...ownNetwork, script, 'sh', ...command], {
    encoding: 'utf8',
  })
  t.match(JSON.parse(printed), {
    page: / 403 /,
    tunnel: / 403 /,
    name: / 403 /,
    ownPort: / 403 /,
    webhook: 'blocked_address',
    webhookByName: 'blocked_address',
    model: 'NotPublic',
  })
})
